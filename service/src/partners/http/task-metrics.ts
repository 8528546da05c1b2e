import type { Registry } from "prom-client";
import { wallClock } from "../../ground/lib/clock.ts";
import type { CountRun, RunOutcome } from "../../ground/lib/task.ts";
import { metricsOn } from "./figure-metrics.ts";

/** Upper bounds of the buckets of a run's duration, in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const OUTCOMES: readonly RunOutcome[] = ["done", "failed"];

/**
 * The counters of the tasks, one for each: runs by outcome, their duration, and when the last one ended and the last
 * one failed.
 */
export function createTaskMetrics(registry: Registry): (task: string) => CountRun {
	const { counter, gauge, histogram } = metricsOn(registry);
	const runs = counter("holdfast_task_runs_total", "Runs of a task that ended, by outcome.", ["task", "outcome"]);
	const seconds = histogram("holdfast_task_run_seconds", "Duration of a task's runs.", BUCKETS, ["task"]);
	const ended = "When the last run of a task ended, since 1970.";
	const lastRun = gauge("holdfast_task_last_run_timestamp_seconds", ended, ["task"]);
	const failed = "When a run of a task failed last, since 1970; absent until one does.";
	const lastError = gauge("holdfast_task_last_error_timestamp_seconds", failed, ["task"]);
	return (task) => {
		for (const outcome of OUTCOMES) runs.inc({ task, outcome }, 0); // a rate needs a beginning
		return (outcome, ms) => {
			const now = wallClock().getTime() / 1_000;
			runs.inc({ task, outcome });
			seconds.observe({ task }, ms / 1_000);
			lastRun.set({ task }, now);
			if (outcome === "failed") lastError.set({ task }, now);
		};
	};
}
