import { OPEN_JOBS } from "./private-tables-sql.ts";

/** How jobs go into a backup and come out of it, on whatever version of graphile-worker's tables. */

/** Jobs that are not over, as `copyOut` reads them; a job under way is done again. */
export const JOB_COLUMNS = ["name", "payload", "run_at", "max_attempts", "key", "priority"] as const;
export const JOBS = `(select t.identifier as name, j.payload, j.run_at, j.max_attempts, j.key, j.priority
	  from ${OPEN_JOBS} order by j.id)`;

/**
 * Where jobs are loaded, until they are added in the way in which every job is. Archives from before migration 46 carry
 * `send_events` jobs, which nothing runs any more.
 */
export const JOB_TABLE = "restored_job";
export const CREATE_JOB_TABLE = `create temporary table ${JOB_TABLE} (name text not null, payload json not null, run_at timestamptz not null,
	max_attempts int not null, key text, priority int not null) on commit drop`;
export const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
	select row(name, payload, null::text, run_at, max_attempts::smallint, key, priority::smallint, null::text[])::graphile_worker.job_spec
	  from ${JOB_TABLE} where name <> 'send_events' order by key))`;
