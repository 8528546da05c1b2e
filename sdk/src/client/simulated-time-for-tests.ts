import type { Clock } from "./types.ts";

interface Event {
	readonly at: number;
	readonly happen: () => void;
}

/** A clock on which everything that was planned happens in the order of its time, as fast as it can. */
export class SimulatedTime implements Clock {
	#now = 1_000_000;
	#events: Event[] = [];

	now(): number {
		return this.#now;
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.plan(ms, resolve));
	}

	plan(afterMs: number, happen: () => void): void {
		this.#events.push({ at: this.#now + Math.max(0, afterMs), happen });
	}

	/** Sets the clock without anything happening; what was planned keeps its distance. */
	jump(ms: number): void {
		this.#now += ms;
		this.#events = this.#events.map(({ at, happen }) => ({ at: at + ms, happen }));
	}

	/** Lets everything happen that waits for no time. */
	async settle(): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
	}

	/** Runs until nothing is planned. */
	async run(): Promise<void> {
		await this.settle();
		for (;;) {
			const next = this.#events.toSorted((a, b) => a.at - b.at)[0];
			if (next === undefined) return;
			this.#events.splice(this.#events.indexOf(next), 1);
			this.#now = next.at;
			next.happen();
			await this.settle();
		}
	}
}
