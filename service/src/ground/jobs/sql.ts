import { timed } from "../pg/query.ts";

/**
 * The statements on the tables of graphile-worker. Those with an underscore are its own: the version of the package is
 * pinned.
 */

/** Milliseconds for one of these. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Adds jobs, in the order of their keys, so that no two transactions that add the same ones wait for each other in a
 * circle.
 */
export const ADD_JOBS = timed(
	`select count(*) from graphile_worker.add_jobs(array(
	   select row(j.name, j.payload, null::text, now() + j.after_ms * interval '1 millisecond', 25::smallint, j.key, j.priority, null::text[])::graphile_worker.job_spec
	   from unnest($1::text[], $2::json[], $3::float8[], $4::text[], $5::smallint[]) j(name, payload, after_ms, key, priority)
	   order by j.key), job_key_preserve_run_at => $6)`,
	ANSWER_WITHIN_MS,
);

/**
 * Notes on a job under way when it comes again and what it is told then; the worker then lets go of it as failed, which
 * adds one second. No row: a newer job has taken its key, and covers it.
 */
export const POSTPONE_JOB = timed(
	`update graphile_worker._private_jobs set payload = $3, attempts = 0,
	   run_at = clock_timestamp() + greatest($4 - 1000, 0) * interval '1 millisecond'
	 where id = $1 and locked_at is not null and key is not distinct from $2 returning id`,
	ANSWER_WITHIN_MS,
);

/** Frees the jobs of nodes that are gone. */
export const FREE_JOBS = timed(
	`update graphile_worker._private_jobs set locked_at = null, locked_by = null
	 where locked_at < now() - $1 * interval '1 millisecond'`,
	ANSWER_WITHIN_MS,
);

/**
 * By name: how many wait, how many of those came again after a failure, and how many seconds the most overdue one is
 * late.
 */
export const COUNT_JOBS = timed(
	`select t.identifier as name, count(*) as waiting,
	   count(*) filter (where (j.payload ->> 'failed')::int > 0) as failing,
	   coalesce(max(extract(epoch from now() - j.run_at)) filter (where j.locked_at is null), 0)::float8 as late_seconds,
	   (array_agg(j.payload ->> 'why' order by j.updated_at desc) filter (where (j.payload ->> 'failed')::int > 0))[1] as why
	 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
	 where j.attempts < j.max_attempts or j.locked_at is not null
	 group by t.identifier order by t.identifier`,
	ANSWER_WITHIN_MS,
);
