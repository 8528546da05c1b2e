/** Runs work at once and then again after each pause; ends with `stop`, which waits for a run under way. */
export function every(
	ms: number,
	work: () => Promise<unknown>,
	onTrouble: (error: unknown) => void,
): { stop(): Promise<void> } {
	let timer: NodeJS.Timeout | undefined;
	let stopped = false;
	const run = async (): Promise<void> => {
		await work().catch(onTrouble); // the next run tries again
		if (stopped) return;
		timer = setTimeout(() => {
			running = run();
		}, ms).unref();
	};
	let running = run();
	return {
		stop: async () => {
			stopped = true;
			clearTimeout(timer);
			await running;
		},
	};
}
