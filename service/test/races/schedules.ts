/*
 * Most orders of turns are equivalent, for two reasons. While B waits for a lock of A, B's turns do nothing. And
 * neighbouring steps of A and B that do not affect each other can be swapped: a plain read sees only committed data, so
 * only a commit affects it, and a lock on lots does not affect a lock on holds. Equivalent orders are one race, which
 * is run once.
 */

/** The kind of a step, as far as it can affect the other side. `none`: it touches no row. */
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

/** One letter for each class, upper case for a step of A. */
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
 * Whether the order of these two steps of different sides can matter. Transactions are READ COMMITTED: a read depends
 * only on the other side's end, a lock also on locks of its own table. A write is assumed to affect every lock and
 * every other write.
 */
function touch(a: string, b: string): boolean {
	if (a === "n" || b === "n") return false;
	if (a === "e" || b === "e") return true;
	if (a === "r" || b === "r") return false;
	return a === "w" || b === "w" || a === b;
}

/**
 * The schedule with one more step, in a normal form: of all equivalent schedules, the one in which each step of A is as
 * early as possible.
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

/** The schedule of an order of turns whose turns did these steps; equal for equivalent orders. */
export function scheduleOf(order: string, did: readonly (StepClass | null)[]): string {
	let schedule = "";
	for (const [turn, actor] of [...order].entries()) {
		const step = did[turn] ?? null;
		if (step !== null) schedule = extended(schedule, actor, step);
	}
	return schedule;
}

/** The orders of turns of one pair of commands, with each schedule only once. */
export class Schedules {
	readonly #orders: Iterator<string>;
	/** Schedules that were run. */
	readonly #run = new Set<string>();
	/** The step of an actor's next turn, by the schedule so far and the actor; null: nothing. */
	readonly #does = new Map<string, StepClass | null>();
	/** Orders that were run, or are known to be equivalent to one that was run. */
	orders = 0;

	constructor(orders: Iterable<string>) {
		this.#orders = orders[Symbol.iterator]();
	}

	/** Schedules that were run. */
	get races(): number {
		return this.#run.size;
	}

	/** The next order whose schedule was not run yet or is unknown; null: there is none. */
	next(): string | null {
		for (let { done, value } = this.#orders.next(); !done; { done, value } = this.#orders.next()) {
			this.orders++;
			const schedule = this.#known(value);
			if (schedule === null || !this.#run.has(schedule)) return value;
		}
		return null;
	}

	/**
	 * Runs one order after the other until every schedule was run. `run` gets a function to which it reports the step
	 * of each turn.
	 */
	async each(run: (order: string, did: (did: readonly (StepClass | null)[]) => void) => Promise<void>): Promise<void> {
		for (let order = this.next(); order !== null; order = this.next()) {
			const taken = order;
			await run(taken, (did) => this.ran(taken, did));
		}
	}

	/** Records the result of an order: the step of each of its turns. */
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
