/** Work that no request asks for, as data: a room lists its own in tasks.ts, and lib/run-tasks.ts runs all of them. */
export interface Task<Deps> {
	/** Names the task in log lines and metrics. */
	readonly name: string;
	/** Milliseconds from the beginning of one run to the beginning of the next. */
	readonly everyMs: number;
	/** The log's words for a run that failed. */
	readonly failure: string;
	/**
	 * One run. An error is logged and counted, and the next run tries again. A run that may take longer than a
	 * statement looks at the signal: it is aborted when the service stops, and when the run has taken too long.
	 */
	run(deps: Deps, signal: AbortSignal): Promise<unknown>;
}

/** How a run ended: by itself, or with an error. */
export type RunOutcome = "done" | "failed";

/** Counts one run of a task: how it ended and how long it took, in milliseconds. */
export type CountRun = (outcome: RunOutcome, ms: number) => void;
