import { monotonicMs } from "../../ground/lib/clock.ts";

/** The contract's window: requests in any 60 seconds. */
export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;
/** Number of windows at which idle ones are first deleted. */
const SWEEP_AT = 10_000;
const FIRST_CAPACITY = 16;

/** The result of one call of `take`. */
export interface RateVerdict {
	readonly allowed: boolean;
	/** Requests left after this one. */
	readonly left: number;
	/** Whole seconds until the oldest request leaves the window; never 0. */
	readonly seconds: number;
}

export interface RateLimit {
	/** Counts one request of `name` if fewer than `limit` were allowed in 60 seconds; a refused one is not counted. */
	take(name: string, limit: number): RateVerdict;
	/** The verdict that `take` would return; counts nothing. */
	look(name: string, limit: number): RateVerdict;
	/** Counts requests of `name` that were allowed elsewhere, as if they had been allowed here and now. */
	add(name: string, requests: number): void;
	/** The number of requests of each name allowed here since the last call; nothing unless it is `drained`. */
	drain(): { readonly name: string; readonly requests: number }[];
	/** The number of names that are kept. */
	readonly size: number;
}

/** The instants of the allowed calls in the last 60 seconds: a ring buffer that grows on demand. */
class Window {
	#times = new Float64Array(FIRST_CAPACITY);
	#head = 0;
	#count = 0;
	#untold = 0;
	readonly #isTold: boolean;

	/** `isTold`: whether `tell` is called, so that it must be kept until then. */
	constructor(isTold: boolean) {
		this.#isTold = isTold;
	}

	take(now: number, limit: number): RateVerdict {
		this.#forget(now - WINDOW_MS);
		const allowed = this.#count < limit;
		if (allowed) {
			this.#push(now);
			if (this.#isTold) this.#untold++;
		}
		return this.#verdict(allowed, now, limit);
	}

	look(now: number, limit: number): RateVerdict {
		this.#forget(now - WINDOW_MS);
		return this.#verdict(this.#count < limit, now, limit);
	}

	#verdict(allowed: boolean, now: number, limit: number): RateVerdict {
		// if the limit was lowered, a place becomes free when the (count - limit + 1)th oldest leaves
		const freed = Math.max(0, this.#count - limit);
		const oldest = this.#at(freed);
		return {
			allowed,
			left: Math.max(0, limit - this.#count),
			seconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)),
		};
	}

	add(now: number, requests: number): void {
		this.#forget(now - WINDOW_MS);
		for (let left = requests; left > 0; left--) this.#push(now);
	}

	/** The number of requests allowed since the last call. */
	tell(): number {
		const untold = this.#untold;
		this.#untold = 0;
		return untold;
	}

	idle(now: number): boolean {
		this.#forget(now - WINDOW_MS);
		return this.#count === 0 && this.#untold === 0;
	}

	#forget(until: number): void {
		while (this.#count > 0 && this.#at(0) <= until) {
			this.#head = (this.#head + 1) & (this.#times.length - 1);
			this.#count--;
		}
	}

	#at(index: number): number {
		return this.#times[(this.#head + index) & (this.#times.length - 1)] ?? 0;
	}

	#push(now: number): void {
		if (this.#count === this.#times.length) this.#grow();
		this.#times[(this.#head + this.#count) & (this.#times.length - 1)] = now;
		this.#count++;
	}

	#grow(): void {
		const larger = new Float64Array(this.#times.length * 2);
		for (let index = 0; index < this.#count; index++) larger[index] = this.#at(index);
		this.#times = larger;
		this.#head = 0;
	}
}

interface RateLimitOptions {
	/** Monotonic milliseconds. */
	readonly now?: () => number;
	/** Whether `drain` is called regularly: a name is kept until then. */
	readonly drained?: boolean;
}

/** An exact sliding window per name, in this process's memory. */
export function createRateLimit({ now = monotonicMs, drained = false }: RateLimitOptions = {}): RateLimit {
	const windows = new Map<string, Window>();
	let sweepAt = SWEEP_AT;
	const open = (name: string, at: number): Window => {
		if (windows.size >= sweepAt) {
			for (const [other, window] of windows) if (window.idle(at)) windows.delete(other);
			sweepAt = Math.max(SWEEP_AT, windows.size * 2);
		}
		const window = new Window(drained);
		windows.set(name, window);
		return window;
	};
	return {
		take(name, limit) {
			const at = now();
			return (windows.get(name) ?? open(name, at)).take(at, limit);
		},
		look(name, limit) {
			return windows.get(name)?.look(now(), limit) ?? { allowed: true, left: limit, seconds: WINDOW_SECONDS };
		},
		add(name, requests) {
			const at = now();
			(windows.get(name) ?? open(name, at)).add(at, requests);
		},
		drain: () =>
			[...windows].map(([name, window]) => ({ name, requests: window.tell() })).filter(({ requests }) => requests > 0),
		get size() {
			return windows.size;
		},
	};
}
