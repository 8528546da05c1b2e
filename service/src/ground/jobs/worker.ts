import { Logger, type Runner, run } from "graphile-worker";
import { assert } from "../lib/assert.ts";
import { sleep } from "../lib/clock.ts";
import type { CountJob } from "../lib/job-outcome.ts";
import type { Log } from "../lib/log.ts";
import { throttled } from "../lib/throttled.ts";
import type { Database } from "../pg/connect.ts";
import type { Envelope } from "./envelope.ts";
import { type Job, MAX_JOB_MS } from "./job.ts";
import { createRunJob, type DueJob } from "./run-job.ts";

export const JOBS_AT_ONCE = 4;
/** Connections of one node: one listens for new jobs; the others fetch and complete jobs and serve their statements. */
export const JOB_CONNECTIONS = 5;
/** Milliseconds between two polls for jobs that are due; the database notifies of new jobs that are due at once. */
const POLL_EVERY_MS = 3_000;
/** Milliseconds until a worker that ended by itself, because the database went away, is restarted. */
const START_AGAIN_MS = 2_000;
/** Milliseconds that a stop waits for running attempts, and then for the killed worker. */
const STOP_WITHIN_MS = 3_000;
const KILL_WITHIN_MS = 2_000;

export interface WorkerOptions<Deps> {
	/** A separate pool, not through a pooler, because one of its connections listens. At least JOB_CONNECTIONS. */
	readonly db: Database;
	readonly jobs: readonly Job<Deps>[];
	readonly deps: Deps;
	readonly log: Log;
	readonly counterOf: (job: string) => CountJob;
}

export interface JobWorker {
	/**
	 * Starts no further job and aborts the signals of running ones. Resolves when they have ended, or after five
	 * seconds; a job that has not ended by then is run again by another node.
	 */
	stop(): Promise<void>;
}

/** Runs the jobs of all rooms until stopped, and resumes after an outage of the database. */
export function startWorker<Deps>({ db, jobs, deps, log, counterOf }: WorkerOptions<Deps>): JobWorker {
	for (const { name, withinMs } of jobs) assert(withinMs <= MAX_JOB_MS, `the job ${name} may take too long`);
	if (jobs.length === 0) return { stop: () => Promise.resolve() }; // graphile-worker needs at least one
	const stopping = new AbortController();
	const warn = throttled((error, count) => log.warn("job worker failed, retrying", { count }, error));
	db.pool.on("connect", () => undefined); // graphile-worker warns without such a listener
	const common = { db, deps, log, stopping: stopping.signal };
	const tasks = jobs.map((job) => [job.name, createRunJob(job, { ...common, count: counterOf(job.name) })] as const);
	let runner: Runner | null = null;

	const runOnce = async (): Promise<void> => {
		const started = await run({
			pgPool: db.pool,
			taskList: Object.fromEntries(
				tasks.map(([name, runJob]) => [name, (payload, { job }) => runJob(payload as Envelope, job as DueJob)]),
			),
			parsedCronItems: [],
			noHandleSignals: true,
			concurrency: JOBS_AT_ONCE,
			pollInterval: POLL_EVERY_MS,
			gracefulShutdownAbortTimeout: STOP_WITHIN_MS,
			logger: quietLogger(warn),
			// with a delay, a statement that fails after a job would become an unhandled error
			preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
		});
		runner = started;
		if (stopping.signal.aborted) await started.stop();
		await started.promise;
	};
	const running = (async () => {
		while (!stopping.signal.aborted) {
			await runOnce().catch(warn);
			await sleep(START_AGAIN_MS, stopping.signal);
		}
	})();
	return {
		async stop() {
			stopping.abort();
			runner?.stop().catch(() => undefined); // it may have stopped already
			if (await inTime(running, STOP_WITHIN_MS)) return;
			log.warn("jobs were still running when the service stopped: they are run again");
			await inTime(
				runner?.kill().catch(() => undefined),
				KILL_WITHIN_MS,
			);
		},
	};
}

/** Passes on graphile-worker's errors only, and never a job's payload. */
function quietLogger(warn: (error: unknown) => void): Logger {
	return new Logger(() => (level, message, meta) => {
		const { error } = (meta ?? {}) as { readonly error?: unknown };
		const kind: string = level;
		if (kind !== "error") return;
		warn(error ?? new Error(message));
	});
}

async function inTime(work: PromiseLike<unknown> | undefined, ms: number): Promise<boolean> {
	const over = new AbortController();
	const ended = Promise.resolve(work).then(() => true);
	const answer = await Promise.race([ended, sleep(ms, over.signal).then(() => false)]);
	over.abort();
	return answer;
}
