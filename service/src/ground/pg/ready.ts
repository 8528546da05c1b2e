import { monotonicMs } from "../lib/clock.ts";
import { rolledBack } from "./commit.ts";
import type { Database, Query } from "./connect.ts";
import { freeBytesOf, MIN_FREE_BYTES } from "./disk-room.ts";
import { lacksMeans } from "./faults.ts";
import { timed } from "./query.ts";
import { BEGIN_TEXT } from "./transaction.ts";

/** Milliseconds within which a connection must answer to count as working. */
const ANSWER_WITHIN_MS = 1_000;
/** Milliseconds that an attempt of the engine may last: longer than any wait for a locked row. */
const MAX_ATTEMPT_MS = 1_500;
/** Milliseconds for which a result is reused, counted from the end of its check. */
const FINDING_LASTS_MS = 250;

/** The parts of the service that must work for it to serve. */
export interface Works {
	/** Connections that run batches. */
	readonly engineDb: Database;
	/** Age of the oldest running attempt at a batch, in milliseconds. */
	silentForMs(): number;
	/** Connections that read stock. */
	readonly readDb: Database;
	/** Connections for everything else. */
	readonly taskDb: Database;
	/** Reads the keys again; resolves when they have been read. */
	refreshKeys(): Promise<void>;
	/** Folder of the embedded database; null if the server is not ours. */
	readonly dataDir: string | null;
}

export interface Readiness {
	/** Why the service cannot serve, without internal details, or null if it can. Answers within about four seconds. */
	obstacle(): Promise<string | null>;
	/** An attempt failed. If the server lacks disk or memory, the service is not ready until a check finds some. */
	noteTrouble(error: unknown): void;
	noteSuccess(): void;
}

export function createReadiness(works: Works): Readiness {
	let lacking = false;
	let last: { endedAt: number; readonly finding: Promise<string | null> } | null = null;

	const probe = async (): Promise<string | null> => {
		if (works.silentForMs() > MAX_ATTEMPT_MS) return SILENT;
		const findings = await Promise.all([
			takesWrites(works.engineDb),
			findingOf(works.readDb.query(soon("select 1"))),
			findingOf(works.refreshKeys()),
			works.dataDir === null ? null : hasRoom(works.dataDir),
		]);
		const first = findings.find((finding) => finding !== null) ?? null;
		if (first !== null || !lacking) return first;
		lacking = !(await canGrow(works.taskDb));
		return lacking ? "the database lacks disk or memory" : null;
	};
	return {
		obstacle() {
			if (last !== null && monotonicMs() - last.endedAt <= FINDING_LASTS_MS) return last.finding;
			const next = { endedAt: Number.POSITIVE_INFINITY, finding: probe() }; // shared while it runs
			last = next;
			return next.finding.finally(() => {
				next.endedAt = monotonicMs();
			});
		},
		noteTrouble(error) {
			lacking ||= lacksMeans(error);
		},
		noteSuccess() {
			lacking = false;
		},
	};
}

const SILENT = "the database does not answer";

const soon = (text: string): string => timed(text, ANSWER_WITHIN_MS);

async function takesWrites(db: Database): Promise<string | null> {
	try {
		const { rows } = await db.query<{ closed: boolean }>(
			soon("select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as closed"),
		);
		return rows[0]?.closed === false ? null : "the database accepts no writes";
	} catch {
		return SILENT;
	}
}

const findingOf = (asked: Promise<unknown>): Promise<string | null> =>
	asked.then(
		() => null,
		() => SILENT,
	);

async function hasRoom(folder: string): Promise<string | null> {
	return (await freeBytesOf(folder)) < MIN_FREE_BYTES ? "the disk of the database is full" : null;
}

/** Whether the server can grow a table, by about two megabytes. The table is temporary and never committed. */
async function canGrow(db: Database): Promise<boolean> {
	const grow = async (tx: Query): Promise<boolean> => {
		try {
			await tx.query(soon(BEGIN_TEXT));
			await tx.query(
				soon(
					"create temporary table holdfast_growth on commit drop as select md5(n::text) from generate_series(1, 30000) n",
				),
			);
			return true;
		} finally {
			await rolledBack(tx);
		}
	};
	return await db.onOne(grow).catch(() => false);
}
