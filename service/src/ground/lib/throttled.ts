import { LRUCache } from "lru-cache";
import { monotonicMs } from "./clock.ts";

/** Milliseconds between two reports of a recurring error. */
const TELL_EVERY_MS = 10_000;
/** Maximum number of kinds of error that are distinguished; beyond it, the least recently used is dropped. */
const MOST_KINDS = 100;

/**
 * For work that is retried several times a second: reports an error at once, and while it recurs only every ten
 * seconds, with the number of errors since the last report.
 */
export function throttled(
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

/**
 * The same for errors of many kinds, each reported separately; `again` is true if this kind was reported before. Two
 * errors are of one kind if name, code and message are equal except for numbers and ids. `about`: details of the
 * occurrence that is reported.
 */
export function throttledByKind<About>(
	tell: (error: unknown, count: number, again: boolean, about: About) => void,
	now: () => number = monotonicMs,
): (error: unknown, about: About) => void {
	const kinds = new LRUCache<string, (error: unknown, about: About) => void>({ max: MOST_KINDS });
	return (error, about) => {
		const kind = kindOf(error);
		let told = kinds.get(kind);
		if (told === undefined) {
			told = tellerOf(tell, now);
			kinds.set(kind, told);
		}
		told(error, about);
	};
}

function tellerOf<About>(
	tell: (error: unknown, count: number, again: boolean, about: About) => void,
	now: () => number,
): (error: unknown, about: About) => void {
	let again = false;
	let about: About;
	const told = throttled((error, count) => {
		tell(error, count, again, about);
		again = true;
	}, now);
	return (error, last) => {
		about = last;
		told(error);
	};
}

function kindOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const code = "code" in error ? String(error.code) : "";
	return `${error.name} ${code} ${error.message.replace(/[0-9a-f]{8}[0-9a-f-]*|\d+/gi, "#")}`;
}
