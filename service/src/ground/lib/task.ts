/** Periodic work, as data: a room lists its own in tasks.ts, and lib/run-tasks.ts runs them all. */
export interface Task<Deps> {
	/** Names the task in log lines and metrics. */
	readonly name: string;
	/** Milliseconds from the start of one run to the start of the next. */
	readonly everyMs: number;
	/** Logged when a run fails. */
	readonly failure: string;
	/**
	 * One run. An error is logged and counted, and the next run tries again. A run that may take longer than one
	 * statement must check the signal, which is aborted when the service stops or the run takes too long.
	 */
	run(deps: Deps, signal: AbortSignal): Promise<unknown>;
}

export type RunOutcome = "done" | "failed";

/** Counts one run of a task: its outcome and duration in milliseconds. */
export type CountRun = (outcome: RunOutcome, ms: number) => void;
