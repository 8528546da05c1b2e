import { timed } from "../pg/query.ts";
import { JOBS_TABLE, OPEN_JOBS } from "./private-tables-sql.ts";

/* The statements on graphile-worker's schema. They write only through its functions. */

/** Milliseconds within which each of these must be answered. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Adds jobs in the order of their keys, so that two transactions that add the same jobs cannot deadlock. One row with
 * the number of jobs added: add_jobs skips a job whose key belongs to one that a worker locked while it ran. So waiting
 * jobs with these keys are locked first, and workers pass over them: a batch of the engine commits in the round trip of
 * this statement, and could not repeat it.
 */
export const ADD_JOBS = timed(
	`with waiting as materialized (select id from ${JOBS_TABLE} where key = any($4::text[]) order by key for update)
	 select count(*)::int as added from graphile_worker.add_jobs(array(
	   select row(j.name, j.payload, null::text, now() + j.after_ms * interval '1 millisecond', 25::smallint, j.key, null::smallint, null::text[])::graphile_worker.job_spec
	   from unnest($1::text[], $2::json[], $3::float8[], $4::text[]) j(name, payload, after_ms, key)
	   order by j.key), job_key_preserve_run_at => $5)
	  where (select count(*) from waiting) >= 0 -- before anything is added`,
	ANSWER_WITHIN_MS,
);

/**
 * Adds a running job again under its key, for its next attempt. No row: a newer job with the key waits, and replaces
 * this one. A newer job that is running or has ended does not replace it: that job may have read the state before
 * this attempt changed it. A newer job that commits while this statement runs is not seen by it, and keeps its time.
 */
export const ADD_AGAIN = timed(
	`select graphile_worker.add_job(task_identifier, payload => $3, run_at => now() + $4 * interval '1 millisecond',
	          max_attempts => 25, job_key => $2, job_key_mode => 'preserve_run_at')
	   from graphile_worker.jobs where id = $1
	    and not exists (select from graphile_worker.jobs newer where newer.key = $2 and newer.locked_at is null)`,
	ANSWER_WITHIN_MS,
);

/**
 * Unlocks the jobs of nodes that are gone: nodes that locked no job in the last `$1` ms. A job that a working node has
 * locked for as long is not being run: the answer to its fetch was lost. It is added again under its key. One row with
 * the number of jobs.
 */
export const FREE_JOBS = timed(
	`with gone as materialized (
	   select locked_by, count(*) as jobs from graphile_worker.jobs where locked_by is not null
	    group by locked_by having max(locked_at) < now() - $1 * interval '1 millisecond'),
	 lost as materialized (
	   select t.identifier, j.payload, j.key from ${OPEN_JOBS} and j.locked_at < now() - $1 * interval '1 millisecond'
	      and j.locked_by not in (select locked_by from gone) order by j.key),
	 again as materialized (
	   select graphile_worker.add_job(identifier, payload => payload, max_attempts => 25, job_key => key,
	            job_key_mode => 'preserve_run_at') from lost)
	 select (select coalesce(sum(jobs), 0)::int from gone) + (select count(*)::int from again) as freed,
	        graphile_worker.force_unlock_workers(array(select locked_by from gone))`,
	ANSWER_WITHIN_MS,
);

/**
 * For each name: how many jobs wait, how many of them wait after a failure, and by how many seconds the most overdue
 * job is late. If a running job was added again, its old row has no key and is not counted; only the new row is.
 */
export const COUNT_JOBS = timed(
	`select t.identifier as name, count(*) as waiting,
	   count(*) filter (where (j.payload ->> 'failed')::int > 0) as failing,
	   coalesce(max(extract(epoch from now() - j.run_at)) filter (where j.locked_at is null), 0)::float8 as "lateSeconds",
	   (array_agg(j.payload ->> 'why' order by j.updated_at desc) filter (where (j.payload ->> 'failed')::int > 0))[1] as why
	 from ${OPEN_JOBS}
	 group by t.identifier order by t.identifier`,
	ANSWER_WITHIN_MS,
);
