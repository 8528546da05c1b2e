import { PROCESS_TIMERS, type Timers } from "./clock.ts";
import type { Log } from "./log.ts";
import type { CountRun, RunOutcome, Task } from "./task.ts";
import { throttled } from "./throttled.ts";

/** Milliseconds until the signal of a run is aborted: longer than any statement of a task may take. */
const RUN_WITHIN_MS = 30_000;
/** Milliseconds that a stop waits for running tasks. */
const STOP_WITHIN_MS = 2_000;

export interface TasksRunning {
	/**
	 * Starts no further run and aborts the signals of running ones. Resolves when all have ended, or after 2 s; a run
	 * that has not ended by then is logged, and ends at the latest with its connection.
	 */
	stop(): Promise<void>;
}

export interface RunTasksOptions {
	/** Repeated failures of a task are logged at once, then every ten seconds. */
	readonly log: Log;
	/** Called once for each task to get the counter of its runs. */
	readonly counterOf: (task: string) => CountRun;
	readonly timers?: Timers;
}

/** Runs each task at once, and then at its interval, skipping times at which it is still running. */
export function runTasks<Deps>(
	tasks: readonly Task<Deps>[],
	deps: Deps,
	{ log, counterOf, timers = PROCESS_TIMERS }: RunTasksOptions,
): TasksRunning {
	const loops = tasks.map((task) => startLoop(task, deps, { log, timers, count: counterOf(task.name) }));
	return {
		async stop() {
			const ended = Promise.all(loops.map((loop) => loop.stop()));
			let forget = (): void => undefined;
			const late = new Promise<void>((resolve) => {
				forget = timers.after(STOP_WITHIN_MS, resolve);
			});
			await Promise.race([ended, late]);
			forget();
			for (const { name, isRunning } of loops) {
				if (isRunning()) log.warn("a task did not end with the service", { task: name });
			}
		},
	};
}

interface Loop {
	readonly name: string;
	isRunning(): boolean;
	stop(): Promise<void>;
}

interface LoopOptions {
	readonly log: Log;
	readonly timers: Timers;
	readonly count: CountRun;
}

function startLoop<Deps>(task: Task<Deps>, deps: Deps, { log, timers, count }: LoopOptions): Loop {
	const warn = throttled(
		(error, times) => log.warn(task.failure, { task: task.name, count: times }, error),
		() => timers.now(),
	);
	let stopped = false;
	let isRunning = false;
	let running = Promise.resolve();
	let abort = (): void => undefined;
	let cancelNext = (): void => undefined;

	const runOnce = async (): Promise<void> => {
		isRunning = true;
		const begunAt = timers.now();
		const controller = new AbortController();
		abort = () => controller.abort();
		const inTime = timers.after(RUN_WITHIN_MS, () => {
			log.warn("a task takes too long and was asked to stop", { task: task.name, ms: RUN_WITHIN_MS });
			abort();
		});
		let outcome: RunOutcome = "done";
		try {
			await task.run(deps, controller.signal);
		} catch (error) {
			outcome = "failed";
			if (!stopped) warn(error); // a run that was aborted may fail for that reason alone
		}
		inTime();
		isRunning = false;
		const ms = timers.now() - begunAt;
		count(outcome, ms);
		if (!stopped) cancelNext = timers.after(untilNext(task.everyMs, ms), begin);
	};
	const begin = (): void => {
		running = runOnce();
	};
	begin();
	return {
		name: task.name,
		isRunning: () => isRunning,
		async stop() {
			stopped = true;
			cancelNext();
			abort();
			await running;
		},
	};
}

/** Milliseconds from the end of a run that took `ms` to the next multiple of the interval. */
const untilNext = (everyMs: number, ms: number): number => everyMs - (ms % everyMs);
