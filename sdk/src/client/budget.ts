import { type ErrorFacts, type HoldfastError, Unauthorized } from "./errors.ts";
import type { Clock, RateLimit } from "./types.ts";

/** The window of a key's rate, in milliseconds, unless the service names another one (guide: rate limits). */
const WINDOW_MS = 60_000;
/** Requests in any window, until the service names the key's limit. */
export const DEFAULT_LIMIT = 60;
/** The share of the limit that requests of low priority leave to others. */
const LEFT_BY_LOW = 1 / 6;

/** Who is served first: commands, then reads, then mirrors. */
export type Priority = 0 | 1 | 2;
export const LOW_PRIORITY: Priority = 2;

/** One request's place in the window: taken when it is sent, and free a whole window after its answer. */
export interface Place {
	/** The answer has arrived, or never will. `rateLimit`: what its headers said. */
	end(rateLimit: RateLimit | null): void;
	/** Sends nothing for `ms` milliseconds, during which the service refuses all requests of this key. */
	block(ms: number): void;
}

/** Whether the service refuses the key. Shared by all that use the key in this process. */
export interface Standing {
	/** The last 401; absent once a request that was sent after it got another answer. */
	refused?: { readonly error: HoldfastError; readonly at: number } | undefined;
	/** Called on each 401, and on the first answer after one. */
	readonly watchers: Set<() => void>;
}

interface Waiting {
	readonly priority: Priority;
	readonly grant: () => void;
}

/**
 * The requests of one key in a sliding window. The service counts a request at some moment between its departure and
 * its answer; a place is taken for all of that time and for one window after it. So in any window, the service never
 * counts more requests of this process than the key's limit.
 */
export class Budget {
	readonly standing: Standing = { watchers: new Set() };
	readonly #clock: Clock;
	/** The maximum that the caller allows, whatever the service says. */
	#most = Number.POSITIVE_INFINITY;
	#limit = DEFAULT_LIMIT;
	#windowMs = WINDOW_MS;
	#inFlight = 0;
	/** When answers arrived, the oldest first. */
	#answered: number[] = [];
	/** Requests that the service counts but this process did not send, and until when that is assumed. */
	#foreign = { count: 0, until: 0 };
	#blockedUntil = 0;
	readonly #waiting: Waiting[] = [];
	#isAsleep = false;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Allows at most `requests` in any window. The lowest of several callers' limits applies. */
	restrict(requests: number): void {
		this.#most = Math.min(this.#most, requests);
	}

	/** Waits for a place. Rejects with the signal's reason if it is aborted first. */
	async take(priority: Priority, signal: AbortSignal | undefined): Promise<Place> {
		signal?.throwIfAborted();
		await new Promise<void>((resolve, reject) => {
			const leave = (): void => {
				this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
				reject(signal?.reason as Error);
			};
			const waiting: Waiting = {
				priority,
				grant: () => {
					signal?.removeEventListener("abort", leave);
					resolve();
				},
			};
			signal?.addEventListener("abort", leave);
			const before = this.#waiting.findLastIndex((other) => other.priority <= priority);
			this.#waiting.splice(before + 1, 0, waiting);
			this.#serve();
		});
		return {
			end: (rateLimit) => this.#end(rateLimit),
			block: (ms) => {
				this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.now() + ms);
			},
		};
	}

	/**
	 * Records how a request ended: a 401 refuses the key for all; an answer to a request sent after it shows that the
	 * key works again.
	 */
	note(refusal: ErrorFacts | undefined, sentAt: number): void {
		const { refused, watchers } = this.standing;
		if (refusal?.code === "unauthorized") {
			this.standing.refused = { error: new Unauthorized(refusal), at: this.#clock.now() };
		} else if (!refusal && refused && sentAt >= refused.at) this.standing.refused = undefined;
		else return;
		for (const tell of watchers) tell();
	}

	#end(rateLimit: RateLimit | null): void {
		const now = this.#clock.now();
		this.#inFlight--;
		this.#answered.push(now);
		if (rateLimit !== null) {
			this.#limit = rateLimit.limit;
			this.#windowMs = rateLimit.windowMs;
			this.#forget(now);
			// the service may not have counted requests in flight yet; their answers will correct this number
			const count = Math.max(0, rateLimit.limit - rateLimit.left - this.#answered.length);
			this.#foreign = { count, until: now + rateLimit.resetMs };
		}
		this.#serve();
	}

	#serve(): void {
		const now = this.#clock.now();
		this.#forget(now);
		for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
			if (this.#freeFor(next.priority, now) <= 0) break;
			this.#waiting.shift();
			this.#inFlight++;
			next.grant();
		}
		if (this.#waiting.length > 0) void this.#serveLater(now);
	}

	#freeFor(priority: Priority, now: number): number {
		if (now < this.#blockedUntil) return 0;
		const limit = Math.min(this.#limit, this.#most);
		const foreign = now < this.#foreign.until ? this.#foreign.count : 0;
		const left = priority === LOW_PRIORITY ? Math.floor(limit * LEFT_BY_LOW) : 0;
		return limit - this.#inFlight - this.#answered.length - foreign - left;
	}

	/** Serves again when the next place is free. If none is known to become free, the end of a request serves. */
	async #serveLater(now: number): Promise<void> {
		const oldest = this.#answered[0];
		const times = [
			...(oldest === undefined ? [] : [oldest + this.#windowMs]),
			this.#foreign.until,
			this.#blockedUntil,
		].filter((time) => time > now);
		if (this.#isAsleep || times.length === 0) return;
		this.#isAsleep = true;
		try {
			await this.#clock.sleep(Math.min(...times) - now);
		} finally {
			this.#isAsleep = false;
		}
		this.#serve();
	}

	/** Frees the places whose window is over. After a clock was set back, none is kept longer than a window. */
	#forget(now: number): void {
		if (this.#answered.some((at) => at > now)) this.#answered = this.#answered.map((at) => Math.min(at, now));
		while ((this.#answered[0] ?? Number.POSITIVE_INFINITY) <= now - this.#windowMs) this.#answered.shift();
		this.#blockedUntil = Math.min(this.#blockedUntil, now + WINDOW_MS);
		this.#foreign.until = Math.min(this.#foreign.until, now + this.#windowMs);
	}
}
