/** Milliseconds that only ever grow; for durations and the rate limit. It decides nothing about holds, dates or keys: the database clock does. */
export const monotonicMs = (): number => performance.now();

/** The process's wall clock, for log lines and files only. */
export const wallClock = (): Date => new Date();

/** An instant in the contract's format: RFC 3339, UTC, milliseconds. */
export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();

/** Resolves after `ms` milliseconds; does not keep the process alive. */
export const sleep = (ms: number): Promise<void> =>
	new Promise((resolve) => {
		setTimeout(resolve, ms).unref();
	});

/** Resolves after `ms` milliseconds, and keeps the process alive until then: for waiting on other processes. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
