import { must } from "../../src/lib/assert.ts";

/*
 * Most orders of turns come to the same thing: while B waits for a lock of A's, B's turns do nothing. What two engines really do, one
 * step after the other, is their schedule; orders with one schedule are one race, and it is run once.
 */

/** The orders of turns of one pair of commands, each schedule of them once. */
export class Schedules {
	readonly #orders: Iterator<string>;
	/** Schedules that were run. */
	readonly #run = new Set<string>();
	/** After these steps, does a turn of this actor do anything? By the schedule so far and the actor. */
	readonly #does = new Map<string, boolean>();
	/** Orders that were run, or are known to come to what was run. */
	orders = 0;

	constructor(orders: Iterable<string>) {
		this.#orders = orders[Symbol.iterator]();
	}

	/** Schedules that were run. */
	get races(): number {
		return this.#run.size;
	}

	/** The next order whose schedule was not run yet, or is not known yet. Null: there is none. */
	next(): string | null {
		for (let { done, value } = this.#orders.next(); !done; { done, value } = this.#orders.next()) {
			this.orders++;
			const schedule = this.#scheduleOf(value);
			if (schedule === null || !this.#run.has(schedule)) return value;
		}
		return null;
	}

	/** Runs one order after the other until every schedule was run. `run` hears where to tell whether each turn did anything. */
	async each(run: (order: string, did: (did: readonly boolean[]) => void) => Promise<void>): Promise<void> {
		for (let order = this.next(); order !== null; order = this.next()) {
			const taken = order;
			await run(taken, (did) => this.ran(taken, did));
		}
	}

	/** Notes what came of an order: for each of its turns, whether it did anything. */
	ran(order: string, did: readonly boolean[]): void {
		let schedule = "";
		for (const [turn, actor] of [...order].entries()) {
			const does = must(did[turn], "a turn");
			this.#does.set(schedule + actor, does);
			if (does) schedule += actor;
		}
		this.#run.add(schedule);
	}

	#scheduleOf(order: string): string | null {
		let schedule = "";
		for (const actor of order) {
			const does = this.#does.get(schedule + actor);
			if (does === undefined) return null;
			if (does) schedule += actor;
		}
		return schedule;
	}
}
