import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { dropOldDays } from "./drop-old-days.ts";
import { SANDBOX_DAYS } from "./limits.ts";

/** Milliseconds between two runs that drop old days. */
const DROP_EVERY_MS = 600_000;

export interface TrafficTaskDeps {
	readonly db: Database;
	readonly config: {
		/** Days that rows of live keys are kept. */
		readonly trafficDays: number;
	};
}

export const TRAFFIC_TASKS: readonly Task<TrafficTaskDeps>[] = [
	{
		name: "drop_old_requests",
		everyMs: DROP_EVERY_MS,
		failure: "old days of the log of requests could not be dropped",
		run: ({ db, config: { trafficDays } }, signal) =>
			dropOldDays(db, { live: trafficDays, sandbox: Math.max(SANDBOX_DAYS, trafficDays) }, signal),
	},
];
