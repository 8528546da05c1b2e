import { Counter, type Registry } from "prom-client";
import { wallClock } from "../../ground/lib/clock.ts";
import type { CountJob, JobCount, JobOutcome } from "../../ground/lib/job-outcome.ts";
import type { SendingFigures } from "../../ground/lib/sending-figures.ts";
import type { CountRun, RunOutcome } from "../../ground/lib/task.ts";
import { metricsOn } from "./figure-metrics.ts";

/** Upper bounds of a batch's size in commands; a batch takes at most 512 request lines. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Upper bounds of a batch's duration, in seconds. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export const HOLD_OUTCOMES = ["made", "replayed", "released", "consumed", "reversed", "placed", "expired"] as const;
export type HoldOutcome = (typeof HOLD_OUTCOMES)[number];

export interface WorkMetrics {
	/** A batch was committed: its number of commands, and its duration in milliseconds. */
	batch(commands: number, ms: number): void;
	/** Counts an outcome. Plain numbers, because every reserve calls it. */
	hold(outcome: HoldOutcome): void;
}

export function createWorkMetrics(registry: Registry): WorkMetrics {
	const { histogram } = metricsOn(registry);
	const sizes = histogram("holdfast_batch_commands", "Commands of a batch that was committed.", SIZE_BUCKETS);
	const took = "Duration of the attempt that committed a batch.";
	const seconds = histogram("holdfast_batch_seconds", took, SECONDS_BUCKETS);
	const counts = Object.fromEntries(HOLD_OUTCOMES.map((outcome) => [outcome, 0])) as Record<HoldOutcome, number>;
	new Counter({
		name: "holdfast_holds_total",
		help: "Holds, by outcome. expired: only those that the sweep ended; a batch that ends an overdue hold does not count it.",
		labelNames: ["outcome"],
		registers: [registry],
		collect() {
			this.reset();
			for (const outcome of HOLD_OUTCOMES) this.inc({ outcome }, counts[outcome]);
		},
	});
	return {
		batch(commands, ms) {
			sizes.observe(commands);
			seconds.observe(ms / 1_000);
		},
		hold(outcome) {
			counts[outcome]++;
		},
	};
}

/** Upper bounds of a run's duration, in seconds. */
const TASK_BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const TASK_OUTCOMES: readonly RunOutcome[] = ["done", "failed"];

/** The metrics of the tasks: runs by outcome, their duration, and when the last run ended and when one last failed. */
export function createTaskMetrics(registry: Registry): (task: string) => CountRun {
	const { counter, gauge, histogram } = metricsOn(registry);
	const runs = counter("holdfast_task_runs_total", "Runs of a task that ended, by outcome.", ["task", "outcome"]);
	const seconds = histogram("holdfast_task_run_seconds", "Duration of a task's runs.", TASK_BUCKETS, ["task"]);
	const ended = "When the last run of a task ended, since 1970.";
	const lastRun = gauge("holdfast_task_last_run_timestamp_seconds", ended, ["task"]);
	const failed = "When a run of a task failed last, since 1970; absent until one does.";
	const lastError = gauge("holdfast_task_last_error_timestamp_seconds", failed, ["task"]);
	return (task) => {
		for (const outcome of TASK_OUTCOMES) runs.inc({ task, outcome }, 0); // a rate needs an initial value
		return (outcome, ms) => {
			const now = wallClock().getTime() / 1_000;
			runs.inc({ task, outcome });
			seconds.observe({ task }, ms / 1_000);
			lastRun.set({ task }, now);
			if (outcome === "failed") lastError.set({ task }, now);
		};
	};
}

/** Upper bounds of an attempt's duration, in seconds. */
const JOB_BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 120];
const JOB_OUTCOMES: readonly JobOutcome[] = ["done", "again", "failed"];

/** Metrics of the jobs: attempts and their duration on this node, and the counts of all nodes' jobs. */
export interface JobMetrics {
	/** The counter of one job's attempts. */
	counterOf(job: string): CountJob;
	/** Sets the counts of the jobs, until the next call. */
	note(counts: readonly JobCount[]): void;
}

export function createJobMetrics(registry: Registry): JobMetrics {
	const { counter, gauge, histogram } = metricsOn(registry);
	const attempts = counter("holdfast_job_attempts_total", "Attempts at jobs that ended, by outcome.", [
		"job",
		"outcome",
	]);
	const seconds = histogram("holdfast_job_attempt_seconds", "Duration of attempts at jobs.", JOB_BUCKETS, ["job"]);
	const waiting = gauge("holdfast_jobs_waiting", "Jobs of all nodes that are not done.", ["job"]);
	const failing = gauge("holdfast_jobs_failing", "Jobs of all nodes whose last attempt failed.", ["job"]);
	const late = gauge("holdfast_jobs_late_seconds", "How late the most overdue job is; 0: no job is overdue.", ["job"]);
	const names = new Set<string>();
	return {
		counterOf(job) {
			names.add(job);
			for (const outcome of JOB_OUTCOMES) attempts.inc({ job, outcome }, 0); // a rate needs an initial value
			return (outcome, ms) => {
				attempts.inc({ job, outcome });
				seconds.observe({ job }, ms / 1_000);
			};
		},
		note(counts) {
			for (const job of names) for (const one of [waiting, failing, late]) one.set({ job }, 0);
			for (const { name: job, ...count } of counts) {
				names.add(job);
				waiting.set({ job }, count.waiting);
				failing.set({ job }, count.failing);
				late.set({ job }, Math.max(0, count.lateSeconds));
			}
		},
	};
}

/** Upper bounds of a post's duration, in seconds. */
const WEBHOOK_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Metrics of webhooks: attempts of this node, and the state of delivery on all nodes together. */
export interface WebhookMetrics {
	/** `answer`: `2xx` to `5xx`, or `none`; `delivery`: the resulting state of the delivery; `ms`: milliseconds. */
	count(answer: string, delivery: string, ms: number): void;
	/** The operator was notified about an endpoint. */
	notice(kind: string): void;
	note(figures: SendingFigures): void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
	const { counter, gauge, histogram } = metricsOn(registry);
	const answered = "Attempts at deliveries, by answer and by the status of the delivery afterwards.";
	const attempts = counter("holdfast_webhook_attempts_total", answered, ["answer", "delivery"]);
	attempts.inc({ answer: "2xx", delivery: "delivered" }, 0); // a rate needs an initial value
	const seconds = histogram("holdfast_webhook_attempt_seconds", "Duration of attempts at deliveries.", WEBHOOK_BUCKETS);
	const kinds = "Notices about webhook endpoints: warning, gone, failing.";
	const notices = counter("holdfast_webhook_notices_total", kinds, ["notice"]);
	for (const notice of ["warning", "gone", "failing"]) notices.inc({ notice }, 0);
	const gauges = {
		pending: gauge("holdfast_webhook_pending_deliveries", "Events that wait for an endpoint."),
		due: gauge("holdfast_webhook_due_deliveries", "Events whose next attempt at an endpoint is due."),
		oldestSeconds: gauge("holdfast_webhook_oldest_undelivered_seconds", "Age of the oldest event that waits."),
		lateSeconds: gauge("holdfast_webhook_late_seconds", "How late the most overdue attempt is."),
		deactivated: gauge(
			"holdfast_webhook_deactivated_endpoints",
			"Endpoints that were deactivated because of their answers.",
		),
		failing: gauge("holdfast_webhook_failing_endpoints", "Active endpoints whose last attempt failed."),
	};
	return {
		count(answer, delivery, ms) {
			attempts.inc({ answer, delivery });
			seconds.observe(ms / 1_000);
		},
		notice: (notice) => notices.inc({ notice }),
		note(figures) {
			for (const [name, one] of Object.entries(gauges)) one.set(Math.max(0, figures[name as keyof typeof gauges]));
		},
	};
}
