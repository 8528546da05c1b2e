import { assert } from "../lib/assert.ts";

/** Work that must survive a crash, as data. A room lists its jobs in jobs.ts; jobs/worker.ts runs them. */

/** Arguments of a job, stored as JSON. Never a secret: anyone with access to the database can read them. */
export type JobPayload = { readonly [field: string]: string | number | boolean | null };

/** Milliseconds within which every job ends; a job locked for longer belongs to a node that is gone. */
export const MAX_JOB_MS = 120_000;

export interface Job<Deps> {
	/** Names the job in the database, in log lines and in metrics. Do not change it while jobs of that name wait. */
	readonly name: string;
	/** Logged when an attempt fails. */
	readonly failure: string;
	/** Milliseconds until the signal of an attempt is aborted; at most MAX_JOB_MS. */
	readonly withinMs: number;
	/** Milliseconds from a failed attempt to the next: after the first failure, the second, …; the last repeats. */
	readonly delaysMs: readonly [number, ...number[]];
	/**
	 * One attempt; an error counts as a failed attempt. It must be idempotent: a completed attempt can be repeated,
	 * and two can briefly run at the same time (after a node froze).
	 */
	run(payload: JobPayload, deps: Deps, attempt: JobAttempt): Promise<Again | undefined>;
}

export interface JobAttempt {
	/** From 1; counts every earlier attempt that failed or asked to run again. */
	readonly number: number;
	/** Aborted when the service stops or the attempt takes too long. */
	readonly signal: AbortSignal;
}

export interface Again {
	/** Milliseconds from now. */
	readonly afterMs: number;
	/** The reason, for the operator. */
	readonly why: string;
	/** Counts as a failed attempt, retried after `afterMs` instead of the job's own delay. */
	readonly failed?: true;
}

export interface NewJob {
	readonly name: string;
	readonly payload: JobPayload;
	/** At most one job with this key waits: a new one replaces it. The payload follows from the key. */
	readonly key: string;
	/** Milliseconds from now; 0 means at once. */
	readonly afterMs: number;
}

/** A new job of a room. Its key is unique among the jobs of that name. */
export const newJob = (name: string, key: string, payload: JobPayload = {}, afterMs = 0): NewJob => ({
	name,
	key: `${name}:${key}`,
	payload,
	afterMs,
});

/** A string field of a job's payload. */
export function textOf(payload: JobPayload, name: string): string {
	const value = payload[name];
	assert(typeof value === "string", `the job's ${name} is a text`);
	return value;
}

/** Milliseconds until the next attempt, after `attempts` failures in a row. */
export const delayAfter = ({ delaysMs }: Pick<Job<never>, "delaysMs">, attempts: number): number =>
	delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? delaysMs[0];
