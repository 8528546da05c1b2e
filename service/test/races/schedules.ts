/*
 * Most orders of turns come to the same thing, for two reasons. While B waits for a lock of A's, B's turns do nothing.
 * And neighbouring steps of A and B that do not touch each other may change places: a plain read sees only what is
 * committed, so that nothing but a commit matters to it, and a lock of lots does not matter to a lock of holds. Orders
 * that come to one thing are one race, run once.
 */

/** What a step does, as far as the other side can be touched by it. `none`: it touches no row. */
export type StepClass =
	| "none"
	| "read"
	| "lock keys"
	| "lock lots"
	| "lock holds"
	| "lock orders"
	| "lock boxes"
	| "write"
	| "end";

/** One letter for each class; a step of A is a capital. */
const LETTERS: Record<StepClass, string> = {
	none: "n",
	read: "r",
	"lock keys": "k",
	"lock lots": "l",
	"lock holds": "h",
	"lock orders": "o",
	"lock boxes": "b",
	write: "w",
	end: "e",
};

/**
 * May the order of these two steps of different sides matter? Transactions are READ COMMITTED: a read depends on the
 * other's end alone, a lock on locks of its own table as well. A write is taken to touch every lock and every other
 * write.
 */
function touch(a: string, b: string): boolean {
	if (a === "n" || b === "n") return false;
	if (a === "e" || b === "e") return true;
	if (a === "r" || b === "r") return false;
	return a === "w" || b === "w" || a === b;
}

/**
 * The schedule with one more step. Of all schedules that come to the same, the one in which each step of A is as early
 * as it can be.
 */
function extended(schedule: string, actor: string, step: StepClass): string {
	const letter = LETTERS[step];
	if (actor === "B") return schedule + letter;
	let at = schedule.length;
	for (; at > 0; at--) {
		const before = schedule.charAt(at - 1);
		if (before !== before.toLowerCase() || touch(before, letter)) break;
	}
	return schedule.slice(0, at) + letter.toUpperCase() + schedule.slice(at);
}

/** What came of an order of turns of which each turn did this: equal for orders that come to the same. */
export function scheduleOf(order: string, did: readonly (StepClass | null)[]): string {
	let schedule = "";
	for (const [turn, actor] of [...order].entries()) {
		const step = did[turn] ?? null;
		if (step !== null) schedule = extended(schedule, actor, step);
	}
	return schedule;
}

/** The orders of turns of one pair of commands, each schedule of them once. */
export class Schedules {
	readonly #orders: Iterator<string>;
	/** Schedules that were run. */
	readonly #run = new Set<string>();
	/** What the next turn of an actor does after these steps, null: nothing. By the schedule so far and the actor. */
	readonly #does = new Map<string, StepClass | null>();
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
			const schedule = this.#known(value);
			if (schedule === null || !this.#run.has(schedule)) return value;
		}
		return null;
	}

	/** Runs one order after the other until every schedule was run. `run` hears where to tell what each turn did. */
	async each(run: (order: string, did: (did: readonly (StepClass | null)[]) => void) => Promise<void>): Promise<void> {
		for (let order = this.next(); order !== null; order = this.next()) {
			const taken = order;
			await run(taken, (did) => this.ran(taken, did));
		}
	}

	/** Notes what came of an order: for each of its turns, what it did. */
	ran(order: string, did: readonly (StepClass | null)[]): void {
		for (const [turn, actor] of [...order].entries()) {
			this.#does.set(scheduleOf(order.slice(0, turn), did) + actor, did[turn] ?? null);
		}
		this.#run.add(scheduleOf(order, did));
	}

	#known(order: string): string | null {
		let schedule = "";
		for (const actor of order) {
			const step = this.#does.get(schedule + actor);
			if (step === undefined) return null;
			if (step !== null) schedule = extended(schedule, actor, step);
		}
		return schedule;
	}
}
