/** Aborted when the program is asked to end, by Ctrl-C or by SIGTERM. A second Ctrl-C ends it at once. */
export function untilInterrupted(): AbortSignal {
	const interruption = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interruption.abort());
	return interruption.signal;
}
