import { monotonicMs } from "./clock.ts";

/** Milliseconds between two lines about a trouble that goes on. */
const TELL_EVERY_MS = 10_000;

/**
 * For work that is tried again several times a second: a trouble is told at once, and while it goes on only every ten seconds,
 * with how often it came since it was last told.
 */
export function sparing(
	tell: (error: unknown, count: number) => void,
	now: () => number = monotonicMs,
): (error: unknown) => void {
	let toldAt = Number.NEGATIVE_INFINITY;
	let count = 0;
	return (error) => {
		count++;
		if (now() - toldAt < TELL_EVERY_MS) return;
		tell(error, count);
		toldAt = now();
		count = 0;
	};
}
