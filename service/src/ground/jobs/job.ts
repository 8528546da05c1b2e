import { assert } from "../lib/assert.ts";

/**
 * Work that must survive a crash, as data: a room lists its own in jobs.ts, and jobs/worker.ts runs the jobs of all
 * rooms.
 */

/** What a job is told: plain values, kept as JSON. Never a secret: whoever may read the database may read it. */
export type JobPayload = { readonly [field: string]: string | number | boolean | null };

/** Milliseconds within which every job ends; a job that is locked for longer belongs to a node that is gone. */
export const MAX_JOB_MS = 120_000;

export interface Job<Deps> {
	/** Names the job in the database, in log lines and in metrics. It must not change while jobs of that name wait. */
	readonly name: string;
	/** The log's words for an attempt that failed. */
	readonly failure: string;
	/** Milliseconds that an attempt may take before its signal is aborted; at most MAX_JOB_MS. */
	readonly withinMs: number;
	/**
	 * Milliseconds from a failed attempt to the next one: after the first, the second, and so on; the last is for all
	 * further ones.
	 */
	readonly delaysMs: readonly [number, ...number[]];
	/**
	 * One attempt. It may happen that an attempt is made again though it was carried out, and that two are under way at
	 * once for a moment (a node that stood still): so it must do no harm twice. An error is a failed attempt.
	 */
	run(payload: JobPayload, deps: Deps, attempt: JobAttempt): Promise<Again | undefined>;
}

export interface JobAttempt {
	/** From 1: this attempt and those that failed or asked to come again before it. */
	readonly number: number;
	/** Aborted when the service stops, and when the attempt takes too long. */
	readonly signal: AbortSignal;
}

/** The job is not done, and comes again. */
export interface Again {
	/** Milliseconds from now. */
	readonly afterMs: number;
	/** Why, in words for the operator. */
	readonly why: string;
	/** It counts as a failed attempt, at a time of its own. */
	readonly failed?: true;
}

/** A job to be added. */
export interface NewJob {
	readonly name: string;
	readonly payload: JobPayload;
	/** While a job of this key waits there is no other: a new one takes its place. */
	readonly key: string;
	/** Milliseconds from now; 0: at once. */
	readonly afterMs: number;
}

/** A job of a room, as it is added. Its key is unique among the jobs of that name. */
export const newJob = (name: string, key: string, payload: JobPayload = {}, afterMs = 0): NewJob => ({
	name,
	key: `${name}:${key}`,
	payload,
	afterMs,
});

/** A text that a job was told. */
export function textOf(payload: JobPayload, name: string): string {
	const value = payload[name];
	assert(typeof value === "string", `the job's ${name} is a text`);
	return value;
}

/** Milliseconds until the next attempt when so many were made. */
export const delayAfter = ({ delaysMs }: Pick<Job<never>, "delaysMs">, attempts: number): number =>
	delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? delaysMs[0];
