import type { Task } from "../lib/task.ts";
import type { Query } from "./connect.ts";
import { forgetOldEvidence } from "./evidence.ts";
import { MIGRATIONS_TABLE } from "./migrate.ts";
import type { Reads } from "./reads.ts";
import type { NodeEntry } from "./running-nodes.ts";

const FORGET_EVERY_MS = 60 * 60 * 1_000;

const MEASURE_EVERY_MS = 60_000;

/** Milliseconds between two reports of a node that it is running; four in a row may get lost. */
const SAY_EVERY_MS = 12_000;

/** Milliseconds between two beats; a replica is at least this far behind. */
const LOOK_EVERY_MS = 1_000;

/** Milliseconds between two times at which a node raises the times of lists: `as_of` is at most so far back. */
const RAISE_EVERY_MS = 5_000;

export interface PgTaskDeps {
	readonly db: Query;
	/** From `createRaiseTimes`, for all lists. */
	readonly raiseTimes: (db: Query) => Promise<unknown>;
	readonly reads: Pick<Reads, "look">;
	/** Receives the figures for the metrics. */
	readonly noteDatabase: (facts: DatabaseFacts) => void;
	readonly node: NodeEntry;
}

export const PG_TASKS: readonly Task<PgTaskDeps>[] = [
	{
		name: "forget_old_evidence",
		everyMs: FORGET_EVERY_MS,
		failure: "old evidence of commits could not be deleted",
		run: ({ db }) => forgetOldEvidence(db),
	},
	{
		name: "measure_database",
		everyMs: MEASURE_EVERY_MS,
		failure: "the database could not be measured",
		run: async ({ db, noteDatabase }) => noteDatabase(await measureDatabase(db)),
	},
	{
		name: "say_running",
		everyMs: SAY_EVERY_MS,
		failure: "it could not be recorded that this node runs",
		run: ({ node }) => node.stay(),
	},
	{
		name: "look_at_replica",
		everyMs: LOOK_EVERY_MS,
		failure: "no beat could be written, so the primary answers all reads",
		run: ({ reads }) => reads.look(),
	},
	{
		name: "raise_list_times",
		everyMs: RAISE_EVERY_MS,
		failure: "the times of lists could not be raised, so as_of stays where it is",
		run: ({ db, raiseTimes }) => raiseTimes(db),
	},
];

export interface DatabaseFacts {
	/** Size of the files of this database, without the WAL. */
	readonly bytes: number;
	/** The name of its last migration. */
	readonly schema: string;
}

export async function measureDatabase(db: Query): Promise<DatabaseFacts> {
	const { rows } = await db.query<DatabaseFacts>(
		`select pg_database_size(current_database())::float8 as bytes,
		        coalesce((select max(name) from ${MIGRATIONS_TABLE}), '') as schema`,
	);
	return rows[0] ?? { bytes: 0, schema: "" };
}
