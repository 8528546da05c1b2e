import type { JobCount } from "../lib/job-outcome.ts";
import type { Query } from "../pg/connect.ts";
import { MAX_JOB_MS } from "./job.ts";
import { COUNT_JOBS, FREE_JOBS } from "./sql.ts";

/** Milliseconds after which a locked job belongs to a node that is gone: longer than any attempt can take. */
const GONE_AFTER_MS = MAX_JOB_MS + 60_000;

/** Counts the jobs of each name; names without jobs are left out. */
export async function countJobs(db: Query): Promise<JobCount[]> {
	return (await db.query<JobCount>(COUNT_JOBS)).rows;
}

/** Unlocks the jobs of nodes that are gone and returns how many; graphile-worker itself would wait four hours. */
export async function freeAbandonedJobs(db: Query): Promise<number> {
	const { rows } = await db.query<{ freed: number }>(FREE_JOBS, [GONE_AFTER_MS]);
	return rows[0]?.freed ?? 0;
}
