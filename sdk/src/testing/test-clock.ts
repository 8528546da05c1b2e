import type { TestClock } from "./types.ts";

interface Sleeper {
	readonly until: number;
	readonly wake: () => void;
}

/** A clock that stands still until it is set. `start`: milliseconds since 1970. */
export function createTestClock(start: number): TestClock {
	let now = start;
	let sleepers: Sleeper[] = [];

	const wakeNext = (until: number): boolean => {
		const next = sleepers.reduce<Sleeper | undefined>(
			(first, one) => (one.until <= until && (first === undefined || one.until < first.until) ? one : first),
			undefined,
		);
		if (next === undefined) return false;
		sleepers = sleepers.filter((one) => one !== next);
		now = Math.max(now, next.until);
		next.wake();
		return true;
	};

	const set = async (time: Date | number): Promise<void> => {
		const until = Number(time);
		await aTurn(); // let code that is about to sleep do so first
		while (wakeNext(until)) await aTurn();
		now = until;
	};

	return {
		now: () => now,
		sleep: (ms) =>
			ms <= 0
				? Promise.resolve()
				: new Promise((wake) => {
						sleepers.push({ until: now + ms, wake });
					}),
		set,
		advance: (ms) => set(now + ms),
	};
}

/** The platform's timer, also for a test that replaces the global one later. */
const later = globalThis.setTimeout;

/** Lets everything run that waits for no timer. */
const aTurn = (): Promise<void> => new Promise((resolve) => later(resolve, 0));
