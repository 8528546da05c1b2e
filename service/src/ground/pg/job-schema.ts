import type pg from "pg";
import { ask } from "./client.ts";
import { openDatabase } from "./connect.ts";

/** The graphile-worker version of this build's migrations. A test compares it with the installed package. */
const JOB_SCHEMA_VERSION = "0.18.0";
/** The name of the jobs' migration in the list of ours. */
export const JOB_SCHEMA = `graphile_worker_${JOB_SCHEMA_VERSION}`;
/** Milliseconds that a migration of graphile-worker waits for a table lock. */
const TABLE_LOCK_MS = 3_000;

/** Whether the database has the jobs' migrations of this build. */
export async function hasJobSchema(client: pg.Client): Promise<boolean> {
	const [there] = await ask<{ found: boolean }>(client, "select to_regclass('job_schema') is not null as found");
	if (!there?.found) return false;
	const [row] = await ask<{ version: string }>(client, "select version from job_schema");
	return row?.version === JOB_SCHEMA_VERSION;
}

/** Runs the missing migrations of graphile-worker, each in a transaction, after ours and under their lock. */
export async function installJobSchema(client: pg.Client, url: string): Promise<void> {
	const { Logger, runMigrations } = await import("graphile-worker");
	const db = openDatabase(url, { max: 1, name: "holdfast migrate, jobs", lockTimeoutMs: TABLE_LOCK_MS });
	db.pool.on("connect", () => undefined); // graphile-worker warns without such a listener
	try {
		await runMigrations({ pgPool: db.pool, logger: new Logger(() => () => undefined) });
	} finally {
		await db.close();
	}
	await ask(client, `update job_schema set version = '${JOB_SCHEMA_VERSION}'`);
}
