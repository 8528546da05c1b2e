import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { wallClock } from "../../ground/lib/clock.ts";
import type { CountRun, RunOutcome } from "../../ground/lib/task.ts";

/** Upper bounds of a run's duration, in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const OUTCOMES: readonly RunOutcome[] = ["done", "failed"];

/** The metrics of the tasks: runs by outcome, their duration, and when the last run ended and when one last failed. */
export function createTaskMetrics(registry: Registry): (task: string) => CountRun {
	const registers = [registry];
	const runs = new Counter({
		name: "holdfast_task_runs_total",
		help: "Runs of a task that ended, by outcome.",
		labelNames: ["task", "outcome"],
		registers,
	});
	const seconds = new Histogram({
		name: "holdfast_task_run_seconds",
		help: "Duration of a task's runs.",
		labelNames: ["task"],
		buckets: BUCKETS,
		registers,
	});
	const lastRun = new Gauge({
		name: "holdfast_task_last_run_timestamp_seconds",
		help: "When the last run of a task ended, since 1970.",
		labelNames: ["task"],
		registers,
	});
	const lastError = new Gauge({
		name: "holdfast_task_last_error_timestamp_seconds",
		help: "When a run of a task failed last, since 1970; absent until one does.",
		labelNames: ["task"],
		registers,
	});
	return (task) => {
		for (const outcome of OUTCOMES) runs.inc({ task, outcome }, 0); // a rate needs an initial value
		return (outcome, ms) => {
			const now = wallClock().getTime() / 1_000;
			runs.inc({ task, outcome });
			seconds.observe({ task }, ms / 1_000);
			lastRun.set({ task }, now);
			if (outcome === "failed") lastError.set({ task }, now);
		};
	};
}
