import { access, constants, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { type Config, maskUrl, readEnv } from "../../../service/src/config.ts";
import { findBinaries } from "../../../service/src/ground/embedded/binaries.ts";
import { openEmbedded } from "../../../service/src/ground/embedded/embedded.ts";
import { countJobs } from "../../../service/src/ground/jobs/count-jobs.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { monotonicMs, wallClock } from "../../../service/src/ground/lib/clock.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type Database, openDatabase } from "../../../service/src/ground/pg/connect.ts";
import { freeBytesOf, MIN_FREE_BYTES } from "../../../service/src/ground/pg/disk-room.ts";
import { readServerFacts, serverProblems } from "../../../service/src/ground/pg/durability.ts";
import { migrationState } from "../../../service/src/ground/pg/migrate.ts";
import { POOLER_ADVICE, POOLER_FOUND, sharesSessions } from "../../../service/src/ground/pg/pooler.ts";
import { selectRunningNodes } from "../../../service/src/ground/pg/running-nodes.ts";
import { type StoredPepper, selectStoredPeppers } from "../../../service/src/partners/keys/stored-peppers-sql.ts";
import { bytesInWords } from "../terminal/progress.ts";
import { readConfig } from "./context.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";
import { examineRing } from "./examine-keys.ts";
import { examineSettings } from "./examine-settings.ts";

/** The oldest supported Node, as in bin/holdfast.js. */
const OLDEST_NODE = [24, 11] as const;
/**
 * Seconds by which this machine's clock may differ from the database's: log lines and answers are read side by side.
 */
const MAX_CLOCK_SKEW_SECONDS = 5;
/** Seconds by which a job may be late: a running service polls every few seconds. */
const MAX_JOB_LATE_SECONDS = 300;
/**
 * Checks Node, the configuration, the folder, the database, the keys and the ports, in that order, and continues after
 * a failed check.
 */
export async function examine(): Promise<Diagnosis[]> {
	const findings = [examineNode()];
	let config: Config;
	try {
		config = readConfig();
		findings.push(good("configuration", "read"));
	} catch (error) {
		return [
			...findings,
			bad(
				"configuration",
				messageOf(error),
				`Set or unset the variables named; ${quotedCommand("config")} lists them all.`,
			),
		];
	}
	if (config.databaseUrl === null) findings.push(await examineFolder(config));
	const database = await examineDatabase(config);
	findings.push(...database.findings);
	findings.push(await examineRing(config, database.peppers));
	findings.push(...(await examinePorts(config, database.isServed)));
	return findings;
}

function examineNode(): Diagnosis {
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	const [oldest, oldestMinor] = OLDEST_NODE;
	if (major > oldest || (major === oldest && minor >= oldestMinor)) return good("Node", process.version);
	return bad(
		"Node",
		process.version,
		`Use ${OLDEST_NODE.join(".")} or newer: npm scripts run on the one that \`npm ci\` installed.`,
	);
}

async function examineFolder({ dataDir }: Config): Promise<Diagnosis> {
	const what = "data folder";
	try {
		const found = await stat(dataDir).catch(() => null);
		if (!found) {
			await access(await nearestFolder(dataDir), constants.W_OK | constants.X_OK);
			return good(what, `${dataDir}, not made yet, the first start makes it`);
		}
		if (!found.isDirectory()) return bad(what, `${dataDir} is not a folder`, "Move it away, or set HOLDFAST_DATA_DIR.");
		await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
		// may be a link to another place that PostgreSQL's account can reach
		const pgData = join(dataDir, "postgres");
		const free = await freeBytesOf((await exists(pgData)) ? pgData : dataDir);
		if (free < MIN_FREE_BYTES) {
			const advice = `Make room: below ${bytesInWords(MIN_FREE_BYTES)} the service is not ready, and a start may fail.`;
			return bad(what, `${dataDir}: the disk of the database is full, ${bytesInWords(free)} are free`, advice);
		}
		return good(what, `${dataDir}, ${bytesInWords(free)} free`);
	} catch (error) {
		return bad(
			what,
			messageOf(error),
			"Give this account the folder, or set HOLDFAST_DATA_DIR to one it may write to.",
		);
	}
}

/** The nearest existing parent folder, in which the missing ones would be created. */
async function nearestFolder(path: string): Promise<string> {
	const above = dirname(path);
	return above === path || (await exists(above)) ? above : nearestFolder(above);
}

interface DatabaseLook {
	readonly findings: Diagnosis[];
	/** The entries of the key ring that stored keys were made with; null: unknown. */
	readonly peppers: readonly StoredPepper[] | null;
	/** Whether a service is running on the database; null: unknown. */
	readonly isServed: boolean | null;
}

async function examineDatabase(config: Config): Promise<DatabaseLook> {
	if (config.databaseUrl !== null) return await examineServer(config.databaseUrl, maskUrl(config.databaseUrl), config);
	const lines: string[] = [];
	try {
		if (!(await exists(join(config.dataDir, "postgres")))) {
			const { postgres } = await findBinaries(config.pgBin ?? undefined);
			const none = good("embedded PostgreSQL", `not made yet, the first start makes it with ${postgres}`);
			return { findings: [none], peppers: [], isServed: false };
		}
		const said = { role: "tool", say: (line: string) => lines.push(line) } as const;
		const embedded = await openEmbedded({ dataDir: config.dataDir, pgBin: config.pgBin ?? undefined, ...said });
		try {
			const look = await examineServer(embedded.url, `embedded, in ${embedded.pgData}`, config);
			return { ...look, findings: [...lines.map((line) => good("embedded PostgreSQL", line)), ...look.findings] };
		} finally {
			await embedded.close();
		}
	} catch (error) {
		const advice =
			"See postgres.log in the data folder; HOLDFAST_PG_BIN uses other binaries, HOLDFAST_DATABASE_URL another server.";
		return { findings: [bad("embedded PostgreSQL", messageOf(error), advice)], peppers: null, isServed: null };
	}
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;

async function examineServer(url: string, name: string, config: Config): Promise<DatabaseLook> {
	const db = openDatabase(url, { max: 1, name: "holdfast doctor" });
	try {
		// behind such a pooler the following checks may fail at random
		if (config.databaseUrl !== null && (await sharesSessions(url)))
			return { findings: [bad("database", POOLER_FOUND, POOLER_ADVICE)], peppers: null, isServed: null };
		const findings = await examineFacts(db, name);
		const { fatal, unsafe } = await serverProblems(db);
		const accepted = config.acceptUnsafeDatabase ? " (accepted by HOLDFAST_ACCEPT_UNSAFE_DATABASE)" : "";
		findings.push(...fatal.map((line) => bad("database", line, "Holdfast cannot run on this database.")));
		findings.push(
			...unsafe.map((line) => ({
				...bad(
					"durability",
					`${line}${accepted}`,
					"Correct this setting: commits that were acknowledged could be lost.",
				),
				ok: accepted !== "",
			})),
		);
		if (unsafe.length === 0) findings.push(good("durability", "fsync, full_page_writes and synchronous_commit are on"));
		const { applied, pending } = await migrationState(url);
		if (pending.length === 0) findings.push(...(await examineSettings(readEnv(), db)), ...(await examineJobs(db)));
		const embedded = config.databaseUrl === null;
		if (pending.length === 0) findings.push(good("migrations", `all ${applied.length} applied`));
		else if (embedded) findings.push(good("migrations", `${pending.length} pending: the next start runs them`));
		else
			findings.push(
				bad("migrations", `${pending.length} pending`, `Run ${quotedCommand("migrate")}; a start does it, too.`),
			);
		const nodes = pending.length > 0 ? [] : await selectRunningNodes(db);
		return {
			findings,
			peppers: applied.length === 0 ? [] : await selectStoredPeppers(db),
			isServed: nodes.some(({ isRunning }) => isRunning),
		};
	} catch (error) {
		const advice = "Check that the server runs and that address, name and password are right.";
		return { findings: [bad("database", `${name}: ${messageOf(error)}`, advice)], peppers: null, isServed: null };
	} finally {
		await db.close();
	}
}

/** Jobs that fail or have waited too long; without any, one positive finding. */
async function examineJobs(db: Database): Promise<Diagnosis[]> {
	const counts = await countJobs(db);
	const troubles = counts.filter(({ failing, lateSeconds }) => failing > 0 || lateSeconds > MAX_JOB_LATE_SECONDS);
	const waiting = counts.reduce((sum, one) => sum + one.waiting, 0);
	if (troubles.length === 0) return [good("jobs", `${waiting} wait, none fails`)];
	return troubles.map(({ name, waiting: all, failing, lateSeconds, why }) => {
		const late = lateSeconds > MAX_JOB_LATE_SECONDS ? `, one for ${Math.round(lateSeconds)} s too long` : "";
		return bad(
			"jobs",
			`${name}: ${all} wait${late}, ${failing} of them failed last${why === null ? "" : `: ${why}`}`,
			late === "" ? "They are retried. Correct the cause that is named." : "Is a service running on this database?",
		);
	});
}

async function examineFacts(db: Database, name: string): Promise<Diagnosis[]> {
	await readServerFacts(db); // the first query includes the time to connect
	const sent = monotonicMs();
	const before = wallClock().getTime();
	const facts = await readServerFacts(db);
	const roundTrip = monotonicMs() - sent;
	if (!facts) return [bad("database", name, "It answered nothing.")];
	const findings = [good("database", `PostgreSQL ${facts.version}, ${name}`)];
	const skewSeconds = Math.abs(facts.nowMs - (before + roundTrip / 2)) / 1000;
	const skew = `this machine and the database differ by ${skewSeconds.toFixed(3)} s`;
	findings.push(
		skewSeconds <= MAX_CLOCK_SKEW_SECONDS
			? good("clocks", skew)
			: bad(
					"clocks",
					skew,
					"Holds and keys follow the database's clock; set both by NTP so that logs can be read side by side.",
				),
	);
	if (facts.encoding !== "UTF8")
		findings.push(bad("encoding", facts.encoding, "Make the database with encoding UTF8."));
	return findings;
}

async function examinePorts(
	{ host, port, coaPort, metricsPort }: Config,
	isServed: boolean | null,
): Promise<Diagnosis[]> {
	const ports: [string, number | null][] = [
		["HOLDFAST_PORT", port],
		["HOLDFAST_COA_PORT", coaPort],
		["HOLDFAST_METRICS_PORT", metricsPort],
	];
	const findings: Diagnosis[] = [];
	for (const [variable, wanted] of ports) {
		if (wanted === null) continue;
		const trouble = await tryPort(host, wanted);
		if (trouble === null) findings.push(good(variable, `${host} port ${wanted} is free`));
		else if (!(await isHoldfast(host, wanted)))
			findings.push(
				bad(variable, `${host} port ${wanted}: ${trouble}`, `Stop what listens there, or set ${variable}.`),
			);
		else if (isServed === false)
			findings.push(
				bad(variable, `${host} port ${wanted}: a Holdfast on another database is serving there`, `Set ${variable}.`),
			);
		else findings.push(good(variable, `${host} port ${wanted}: Holdfast is serving there`));
	}
	return findings;
}

function tryPort(host: string, port: number): Promise<string | null> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error) => resolve(error.message));
		server.listen(port, host, () => server.close(() => resolve(null)));
	});
}

async function isHoldfast(host: string, port: number): Promise<boolean> {
	const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/livez`;
	const reply = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
	return reply?.headers.has("x-request-id") ?? false; // the metrics server answers 404 with it
}
