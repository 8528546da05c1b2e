import { messageOf } from "../lib/assert.ts";
import { monotonicMs, sleep } from "../lib/clock.ts";
import type { CountJob, JobOutcome } from "../lib/job-outcome.ts";
import type { Log } from "../lib/log.ts";
import { throttled } from "../lib/throttled.ts";
import type { Query } from "../pg/connect.ts";
import { type Envelope, nextEnvelope } from "./envelope.ts";
import { type Again, delayAfter, type Job } from "./job.ts";
import { ADD_AGAIN } from "./sql.ts";

/** Milliseconds that an attempt may continue after its signal was aborted; then it is abandoned. */
const END_WITHIN_MS = 5_000;

/** A job as graphile-worker passes it. */
export interface DueJob {
	readonly id: string;
	readonly key: string;
}

export interface RunDeps<Deps> {
	readonly db: Query;
	readonly deps: Deps;
	readonly log: Log;
	readonly count: CountJob;
	/** Aborted when the service stops. */
	readonly stopping: AbortSignal;
}

/**
 * Makes one attempt at a job. If it failed or asked to run again, the job is added once more for its next attempt and
 * the current one completes: graphile-worker's own retries are only for nodes that vanish.
 */
export function createRunJob<Deps>(
	job: Job<Deps>,
	{ db, deps, log, count, stopping }: RunDeps<Deps>,
): (envelope: Envelope, due: DueJob) => Promise<void> {
	const warn = throttled((error, times) => log.warn(job.failure, { job: job.name, count: times }, error));
	return async (envelope, due) => {
		const begunAt = monotonicMs();
		const again = await attempt(job, envelope, deps, stopping);
		const outcome: JobOutcome = again === undefined ? "done" : again.outcome;
		if (again?.outcome === "failed" && !stopping.aborted) warn(again.error ?? again.why);
		count(outcome, monotonicMs() - begunAt);
		if (again === undefined) return;
		const next = stopping.aborted ? envelope : nextEnvelope(envelope, outcome === "failed", again.why);
		const afterMs = stopping.aborted ? 0 : again.afterMs;
		await db.query(ADD_AGAIN, [due.id, due.key, JSON.stringify(next), afterMs]);
	};
}

type Unfinished = Again & { readonly outcome: "again" | "failed"; readonly error?: unknown };

async function attempt<Deps>(
	job: Job<Deps>,
	envelope: Envelope,
	deps: Deps,
	stopping: AbortSignal,
): Promise<Unfinished | undefined> {
	const signal = AbortSignal.any([stopping, AbortSignal.timeout(job.withinMs)]);
	const ended = new AbortController();
	const tooLate = async (): Promise<never> => {
		await sleep(job.withinMs + END_WITHIN_MS, ended.signal);
		throw new Error(`the job did not end within ${job.withinMs + END_WITHIN_MS} ms`);
	};
	try {
		const number = envelope.attempts + 1;
		const answer = await Promise.race([job.run(envelope.data, deps, { number, signal }), tooLate()]);
		return answer === undefined ? undefined : { ...answer, outcome: answer.failed ? "failed" : "again" };
	} catch (error) {
		return { outcome: "failed", error, why: messageOf(error), afterMs: delayAfter(job, envelope.failed + 1) };
	} finally {
		ended.abort();
	}
}
