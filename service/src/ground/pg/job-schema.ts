import type pg from "pg";
import { ask } from "./client.ts";
import { openDatabase } from "./connect.ts";

/**
 * The version of graphile-worker whose migrations a database of this build has seen. A test holds it to the package
 * installed.
 */
const JOB_SCHEMA_VERSION = "0.18.0";
/** What the migration of the jobs is called beside ours. */
export const JOB_SCHEMA = `graphile_worker_${JOB_SCHEMA_VERSION}`;
/** Milliseconds that one of its migrations waits for a table. */
const TABLE_LOCK_MS = 3_000;

/** Has the database seen the migrations of the jobs as this build has them? */
export async function hasJobSchema(client: pg.Client): Promise<boolean> {
	const [there] = await ask<{ found: boolean }>(client, "select to_regclass('job_schema') is not null as found");
	if (!there?.found) return false;
	const [row] = await ask<{ version: string }>(client, "select version from job_schema");
	return row?.version === JOB_SCHEMA_VERSION;
}

/**
 * Runs the migrations of graphile-worker that are missing, each in a transaction of its own. The caller has the lock of
 * the migrations on `client` and has run ours.
 */
export async function installJobSchema(client: pg.Client, url: string): Promise<void> {
	const { Logger, runMigrations } = await import("graphile-worker");
	const db = openDatabase(url, { max: 1, name: "holdfast migrate, jobs", lockTimeoutMs: TABLE_LOCK_MS });
	db.pool.on("connect", () => undefined); // the pool has its own way of listening for errors
	try {
		await runMigrations({ pgPool: db.pool, logger: new Logger(() => () => undefined) });
	} finally {
		await db.close();
	}
	await ask(client, `update job_schema set version = '${JOB_SCHEMA_VERSION}'`);
}
