/*
 * Uses tables that graphile-worker calls private, because none of its views shows a payload. Tested with 0.18.0,
 * which is pinned for this reason; job-schema.test.ts and worker.test.ts fail if another version differs.
 */

export const JOBS_TABLE = "graphile_worker._private_jobs";

/** Jobs `j` that are not over, and their tasks `t`. */
export const OPEN_JOBS = `${JOBS_TABLE} j join graphile_worker._private_tasks t on t.id = j.task_id
	 where j.key is not null and (j.attempts < j.max_attempts or j.locked_at is not null)`;
