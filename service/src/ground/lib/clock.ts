/** Monotonic milliseconds, for durations and the rate limit. The database's clock decides on holds, dates and keys. */
export const monotonicMs = (): number => performance.now();

/** The process's wall clock, for log lines, metrics and files only. */
export const wallClock = (): Date => new Date();

/** An instant in the contract's format: RFC 3339, UTC, milliseconds. */
export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();
export const rfc3339OrNull = (epochMs: number | null): string | null => (epochMs === null ? null : toRfc3339(epochMs));

/** Resolves after `ms` milliseconds, or when the signal is aborted; does not keep the process alive. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
	new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const end = (): void => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			resolve();
		};
		const timer = setTimeout(end, ms).unref();
		signal?.addEventListener("abort", end);
	});

/** A clock and its timers, for code whose tests control time. */
export interface Timers {
	/** Monotonic milliseconds. */
	now(): number;
	/** Calls `call` once, `ms` milliseconds from now. The returned function cancels it. */
	after(ms: number, call: () => void): () => void;
}

/** The clock and timers of the process; these timers do not keep it alive. */
export const PROCESS_TIMERS: Timers = {
	now: monotonicMs,
	after(ms, call) {
		const timer = setTimeout(call, ms).unref();
		return () => clearTimeout(timer);
	},
};

/** Resolves after `ms` milliseconds and keeps the process alive until then, for waiting on other processes. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
