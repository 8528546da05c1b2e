import type { Task } from "../lib/task.ts";
import type { Query } from "./connect.ts";
import { forgetOldEvidence } from "./evidence.ts";
import { MIGRATIONS_TABLE } from "./migrate.ts";
import type { NodeEntry } from "./running-nodes.ts";

/** Milliseconds between two removals of old evidence. */
const FORGET_EVERY_MS = 60 * 60 * 1_000;

/** Milliseconds between two looks at the size of the database, for the metrics. */
const MEASURE_EVERY_MS = 60_000;

/** Milliseconds between two words of a node that it runs; four of them may get lost. */
const SAY_EVERY_MS = 12_000;

export interface PgTaskDeps {
	readonly db: Query;
	/** Takes the figures that the metrics show. */
	readonly noteDatabase: (facts: DatabaseFacts) => void;
	readonly node: NodeEntry;
}

export const PG_TASKS: readonly Task<PgTaskDeps>[] = [
	{
		name: "forget_old_evidence",
		everyMs: FORGET_EVERY_MS,
		failure: "old evidence of commits was not removed",
		run: ({ db }) => forgetOldEvidence(db),
	},
	{
		name: "measure_database",
		everyMs: MEASURE_EVERY_MS,
		failure: "the database was not measured",
		run: async ({ db, noteDatabase }) => noteDatabase(await measureDatabase(db)),
	},
	{
		name: "say_running",
		everyMs: SAY_EVERY_MS,
		failure: "the other nodes and commands were not told that this node runs",
		run: ({ node }) => node.stay(),
	},
];

/** What the database itself weighs. */
export interface DatabaseFacts {
	/** Of the files of this database, its log not included. */
	readonly bytes: number;
	/** The last migration that it has. */
	readonly schema: string;
}

export async function measureDatabase(db: Query): Promise<DatabaseFacts> {
	const { rows } = await db.query<DatabaseFacts>(
		`select pg_database_size(current_database())::float8 as bytes,
		        coalesce((select max(name) from ${MIGRATIONS_TABLE}), '') as schema`,
	);
	return rows[0] ?? { bytes: 0, schema: "" };
}
