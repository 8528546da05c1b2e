import { LRUCache } from "lru-cache";
import { monotonicMs } from "./clock.ts";

/** Milliseconds between two lines about a trouble that goes on. */
const TELL_EVERY_MS = 10_000;
/** Kinds of trouble that are told apart; when there are more, the one that began first is forgotten. */
const MOST_KINDS = 100;

/**
 * For work that is tried again several times a second: a trouble is told at once, and while it goes on only every ten
 * seconds, with how often it came since it was last told.
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
 * The same for troubles of many kinds, each told by itself: `again` says whether this kind was told before. Two errors
 * are of one kind when name, code and message are the same but for numbers and ids. `about`: what else to tell, of the
 * occurrence that is told.
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
