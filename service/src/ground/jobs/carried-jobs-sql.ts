import { OPEN_JOBS } from "./private-tables-sql.ts";

/** Saves jobs to a backup and restores them, whatever version of graphile-worker's tables the database has. */

/** Unfinished jobs, as `copyOut` reads them. A job that is running during the backup runs again after a restore. */
export const JOB_COLUMNS = ["name", "payload", "run_at", "max_attempts", "key", "priority"] as const;
export const JOBS = `(select t.identifier as name, j.payload, j.run_at, j.max_attempts, j.key, j.priority
	  from ${OPEN_JOBS} order by j.id)`;

/**
 * Restored jobs are loaded here first, then added as any other job. Archives from before migration 46 contain
 * `send_events` jobs, which no longer have a handler.
 */
export const JOB_TABLE = "restored_job";
export const CREATE_JOB_TABLE = `create temporary table ${JOB_TABLE} (name text not null, payload json not null, run_at timestamptz not null,
	max_attempts int not null, key text, priority int not null) on commit drop`;
export const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
	select row(name, payload, null::text, run_at, max_attempts::smallint, key, priority::smallint, null::text[])::graphile_worker.job_spec
	  from ${JOB_TABLE} where name <> 'send_events' order by key))`;
