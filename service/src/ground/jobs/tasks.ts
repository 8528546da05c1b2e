import type { JobCount } from "../lib/job-outcome.ts";
import type { Task } from "../lib/task.ts";
import type { Query } from "../pg/connect.ts";
import { countJobs, freeAbandonedJobs } from "./count-jobs.ts";

/** Milliseconds between two checks for jobs of nodes that are gone. */
const FREE_EVERY_MS = 30_000;
const COUNT_EVERY_MS = 15_000;

export interface JobTaskDeps {
	readonly db: Query;
	/** Receives the figures for the metrics. */
	readonly noteJobs: (counts: readonly JobCount[]) => void;
}

export const JOB_TASKS: readonly Task<JobTaskDeps>[] = [
	{
		name: "free_abandoned_jobs",
		everyMs: FREE_EVERY_MS,
		failure: "jobs of dead nodes could not be freed",
		run: ({ db }) => freeAbandonedJobs(db),
	},
	{
		name: "count_jobs",
		everyMs: COUNT_EVERY_MS,
		failure: "jobs could not be counted",
		run: async ({ db, noteJobs }) => noteJobs(await countJobs(db)),
	},
];
