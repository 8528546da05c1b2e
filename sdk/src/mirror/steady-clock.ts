import type { Clock } from "../client/types.ts";

/** The platform's clock. Its timers do not keep a process alive. */
export const SYSTEM_CLOCK: Clock = {
	now: () => Date.now(),
	sleep: (ms) =>
		new Promise((resolve) => {
			const timer = setTimeout(resolve, ms) as { unref?(): unknown } | number;
			if (typeof timer === "object") timer.unref?.();
		}),
};

/**
 * Measures ages on a clock that people and time servers set. When the clock is set back, nothing gets younger; when it
 * is set forward, or the machine was asleep, everything gets older. Time that was slept has passed, whatever the clock
 * says.
 */
export class SteadyClock {
	readonly #clock: Clock;
	/** Milliseconds that the clock was set back since the start. */
	#aheadMs = 0;
	#last: number;

	constructor(clock: Clock) {
		this.#clock = clock;
		this.#last = clock.now();
	}

	/** A moment, in milliseconds. Never less than the previous one. */
	now(): number {
		const now = this.#clock.now() + this.#aheadMs;
		if (now < this.#last) this.#aheadMs += this.#last - now;
		this.#last = Math.max(this.#last, now);
		return this.#last;
	}

	async sleep(ms: number): Promise<void> {
		const end = this.now() + ms;
		await this.#clock.sleep(ms);
		const now = this.now();
		if (now >= end) return;
		this.#aheadMs += end - now;
		this.#last = end;
	}

	/** A moment as the clock shows it at its present setting. */
	dateOf(moment: number): Date {
		return new Date(moment - this.#aheadMs);
	}

	/** The moment of a time that the clock showed at its present setting. */
	momentOf(date: Date): number {
		return date.getTime() + this.#aheadMs;
	}
}
