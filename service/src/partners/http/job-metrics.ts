import type { Registry } from "prom-client";
import type { CountJob, JobCount, JobOutcome } from "../../ground/lib/job-outcome.ts";
import { metricsOn } from "./figure-metrics.ts";

/** Upper bounds of the buckets of an attempt's duration, in seconds. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 120];
const OUTCOMES: readonly JobOutcome[] = ["done", "again", "failed"];

/**
 * The figures of the jobs: attempts by outcome and their duration on this node, and how the jobs of all nodes stand.
 */
export interface JobMetrics {
	/** The counter of one job's attempts. */
	counterOf(job: string): CountJob;
	/** Shows how the jobs stand, until somebody looks again. */
	note(counts: readonly JobCount[]): void;
}

export function createJobMetrics(registry: Registry): JobMetrics {
	const { counter, gauge, histogram } = metricsOn(registry);
	const attempts = counter("holdfast_job_attempts_total", "Attempts at jobs that ended, by outcome.", [
		"job",
		"outcome",
	]);
	const seconds = histogram("holdfast_job_attempt_seconds", "Duration of attempts at jobs.", BUCKETS, ["job"]);
	const waiting = gauge("holdfast_jobs_waiting", "Jobs of all nodes that are not done.", ["job"]);
	const failing = gauge("holdfast_jobs_failing", "Those of them whose last attempt failed.", ["job"]);
	const late = gauge("holdfast_jobs_late_seconds", "How late the most overdue job is; 0: none is.", ["job"]);
	const names = new Set<string>();
	return {
		counterOf(job) {
			names.add(job);
			for (const outcome of OUTCOMES) attempts.inc({ job, outcome }, 0); // a rate needs a beginning
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
