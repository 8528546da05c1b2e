import type { Chance } from "../../chance.ts";
import type { Topic } from "../../knowledge.ts";
import { Bag, type SentLine } from "../holds/known.ts";

/** An order as remembered by the partner that placed it. */
export interface KnownOrder {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
	/** The Idempotency-Key that it was placed under. */
	readonly key: string;
	readonly lines: readonly SentLine[];
	/** The body it was placed with, for a repeat. */
	readonly body: unknown;
}

/** A shipped box as remembered by operators. */
export interface KnownBox {
	readonly shipmentId: string;
	readonly orders: readonly KnownOrder[];
}

/** Maximum number of orders that a key keeps open: more would use up the small shelves for good. */
const MOST_OPEN = 25;
/** Maximum number of past orders that a partner still asks about. */
const MOST_REMEMBERED = 200;

/** What one key remembers of its orders. */
export class OrdersOfKey {
	/** Neither cancelled nor refused cancellation. */
	readonly open = new Bag<KnownOrder>(MOST_OPEN * 4);
	readonly over = new Bag<KnownOrder>(MOST_REMEMBERED);

	get full(): boolean {
		return this.open.size >= MOST_OPEN;
	}

	/** A random order, open or not. */
	any = (chance: Chance): KnownOrder | null => chance.pick([this.open, this.over]).look(chance);
}

/** A reader that follows the list of boxes of one brand by its cursor. */
export interface Follower {
	/** Null: from the beginning. */
	cursor: string | null;
	/** A page request is under way. */
	busy: boolean;
}

/** What operators remember of all orders and boxes. */
export class Warehouse {
	/** Orders that their partners leave alone, and some that they may still cancel. */
	readonly placed = new Bag<KnownOrder>(MOST_REMEMBERED);
	readonly picked = new Bag<KnownOrder>(MOST_REMEMBERED);
	/** Partly shipped orders: the rest is shipped next. */
	readonly begun = new Bag<KnownOrder>(MOST_REMEMBERED);
	/** Boxes in which the rest of an order left. */
	readonly rests = new Bag<KnownBox>(MOST_REMEMBERED);
	readonly held = new Bag<KnownOrder>(MOST_REMEMBERED);
	readonly shipped = new Bag<KnownBox>(MOST_REMEMBERED);
}

export class OrdersKnown {
	readonly #byKey = new Map<string, OrdersOfKey>();
	readonly #followers = new Map<string, Follower>();
	readonly warehouse = new Warehouse();
	#keys = 0;

	of(actor: string): OrdersOfKey {
		const known = this.#byKey.get(actor);
		if (known) return known;
		const made = new OrdersOfKey();
		this.#byKey.set(actor, made);
		return made;
	}

	follower(actor: string, brand: string | null): Follower {
		const name = `${actor} ${brand}`;
		const known = this.#followers.get(name);
		if (known) return known;
		const made: Follower = { cursor: null, busy: false };
		this.#followers.set(name, made);
		return made;
	}

	/** An Idempotency-Key or a tracking number that has not been used before. */
	newKey = (what: string): string => `${what}-${++this.#keys}`;
}

export const ORDERS: Topic<OrdersKnown> = { name: "orders", make: () => new OrdersKnown() };
