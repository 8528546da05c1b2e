import { silentLog } from "../src/ground/lib/log.ts";
import { runTasks, type TasksRunning } from "../src/ground/lib/run-tasks.ts";
import type { Task } from "../src/ground/lib/task.ts";
import { createMetrics } from "../src/partners/http/metrics.ts";

/** Runs one task as the service does, until it is stopped. */
export const runTask = <Deps>(task: Task<Deps>, deps: Deps): TasksRunning =>
	runTasks([task], deps, { log: silentLog(), counterOf: createMetrics().task });
