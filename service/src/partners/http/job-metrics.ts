import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { CountJob, JobCount, JobOutcome } from "../../ground/lib/job-outcome.ts";

/** Upper bounds of an attempt's duration, in seconds. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 120];
const OUTCOMES: readonly JobOutcome[] = ["done", "again", "failed"];

/** Metrics of the jobs: attempts and their duration on this node, and the counts of all nodes' jobs. */
export interface JobMetrics {
	/** The counter of one job's attempts. */
	counterOf(job: string): CountJob;
	/** Sets the counts of the jobs, until the next call. */
	note(counts: readonly JobCount[]): void;
}

export function createJobMetrics(registry: Registry): JobMetrics {
	const registers = [registry];
	const labelNames = ["job"];
	const attempts = new Counter({
		name: "holdfast_job_attempts_total",
		help: "Attempts at jobs that ended, by outcome.",
		labelNames: ["job", "outcome"],
		registers,
	});
	const seconds = new Histogram({
		name: "holdfast_job_attempt_seconds",
		help: "Duration of attempts at jobs.",
		labelNames,
		buckets: BUCKETS,
		registers,
	});
	const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, labelNames, registers });
	const waiting = gauge("holdfast_jobs_waiting", "Jobs of all nodes that are not done.");
	const failing = gauge("holdfast_jobs_failing", "Those of them whose last attempt failed.");
	const late = gauge("holdfast_jobs_late_seconds", "How late the most overdue job is; 0: none is.");
	const names = new Set<string>();
	return {
		counterOf(job) {
			names.add(job);
			for (const outcome of OUTCOMES) attempts.inc({ job, outcome }, 0); // a rate needs an initial value
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
