import { countJobs } from "../../ground/jobs/count-jobs.ts";
import { monotonicMs, wallClock } from "../../ground/lib/clock.ts";
import { quotedCommand } from "../../ground/lib/typed-command.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { readServerFacts, serverProblems } from "../../ground/pg/durability.ts";
import { type MigrationState, migrationState } from "../../ground/pg/migrate.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

/**
 * Seconds by which this machine's clock may differ from the database's: log lines and answers are read side by side.
 */
const MAX_CLOCK_SKEW_SECONDS = 5;
/** Seconds by which a job may be late: a running service polls every few seconds. */
const MAX_JOB_LATE_SECONDS = 300;

export interface ExaminedDatabase {
	/** The name under which findings mention it. */
	readonly name: string;
	readonly url: string;
	/** Whether it is the embedded database, which the next start migrates. */
	readonly isEmbedded: boolean;
	readonly acceptUnsafe: boolean;
}

export interface DatabaseFindings {
	readonly findings: Diagnosis[];
	readonly applied: number;
	/** Number of migrations that are missing; the tables of this build exist only if none is. */
	readonly pending: number;
}

/** Checks the server, its clock, its durability, the migrations and the jobs. */
export async function examineDatabase(db: Query, examined: ExaminedDatabase): Promise<DatabaseFindings> {
	const findings = [...(await examineFacts(db, examined.name)), ...(await examineDurability(db, examined))];
	const { applied, pending, ahead } = await migrationState(examined.url);
	findings.push(judgeMigrations({ applied, pending, ahead }, examined.isEmbedded));
	if (pending.length === 0) findings.push(...(await examineJobs(db)));
	return { findings, applied: applied.length, pending: pending.length };
}

async function examineDurability(db: Query, { acceptUnsafe }: ExaminedDatabase): Promise<Diagnosis[]> {
	const { fatal, unsafe } = await serverProblems(db);
	const accepted = acceptUnsafe ? " (accepted by HOLDFAST_ACCEPT_UNSAFE_DATABASE)" : "";
	const advice = "Correct this setting: commits that were acknowledged could be lost.";
	return [
		...fatal.map((line) => bad("database", line, "Holdfast cannot run on this database.")),
		...unsafe.map((line) => ({ ...bad("durability", `${line}${accepted}`, advice), ok: acceptUnsafe })),
		...(unsafe.length === 0 ? [good("durability", "fsync, full_page_writes and synchronous_commit are on")] : []),
	];
}

function judgeMigrations({ applied, pending, ahead }: MigrationState, isEmbedded: boolean): Diagnosis {
	const more = ahead.length === 0 ? "" : `, and ${ahead.length} of a newer release, which this one does without`;
	if (pending.length === 0) return good("migrations", `all ${applied.length} applied${more}`);
	if (isEmbedded) return good("migrations", `${pending.length} pending: the next start runs them`);
	return bad(
		"migrations",
		`${pending.length} pending`,
		`Run ${quotedCommand("migrate")}, or restart the service, which migrates at its start.`,
	);
}

/** Jobs that fail or have waited too long; without any, one positive finding. */
async function examineJobs(db: Query): Promise<Diagnosis[]> {
	const counts = await countJobs(db);
	const troubles = counts.filter(({ failing, lateSeconds }) => failing > 0 || lateSeconds > MAX_JOB_LATE_SECONDS);
	const waiting = counts.reduce((sum, one) => sum + one.waiting, 0);
	if (troubles.length === 0) return [good("jobs", `${waiting} wait, none fails`)];
	return troubles.map(({ name, waiting: all, failing, lateSeconds, why }) => {
		const late = lateSeconds > MAX_JOB_LATE_SECONDS ? `, one is ${Math.round(lateSeconds)} s overdue` : "";
		return bad(
			"jobs",
			`${name}: ${all} wait${late}, ${failing} of them failed in the last attempt${why === null ? "" : `: ${why}`}`,
			late === "" ? "The jobs are retried. Correct the cause that is named." : "Is a service running on this database?",
		);
	});
}

async function examineFacts(db: Query, name: string): Promise<Diagnosis[]> {
	await readServerFacts(db); // the first query includes the time to connect
	const sent = monotonicMs();
	const before = wallClock().getTime();
	const facts = await readServerFacts(db);
	const roundTrip = monotonicMs() - sent;
	if (!facts) return [bad("database", name, "The database did not answer: check the server and its log.")];
	const findings = [good("database", `PostgreSQL ${facts.version}, ${name}`)];
	const skewSeconds = Math.abs(facts.nowMs - (before + roundTrip / 2)) / 1000;
	const skew = `the clocks of this machine and the database differ by ${skewSeconds.toFixed(3)} s`;
	findings.push(
		skewSeconds <= MAX_CLOCK_SKEW_SECONDS
			? good("clocks", skew)
			: bad(
					"clocks",
					skew,
					"Holds and keys follow the database's clock; synchronize both clocks by NTP so that log times can be compared.",
				),
	);
	return findings;
}
