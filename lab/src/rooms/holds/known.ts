import type { Chance } from "../../chance.ts";
import type { Topic } from "../../knowledge.ts";

/** A line of a reserve as sent. */
export interface SentLine {
	readonly sku: string;
	readonly qty: number;
	readonly brand_code?: string;
}

/** A hold as remembered by the partner that made it. */
export interface KnownHold {
	readonly token: string;
	readonly ref: string | null;
	readonly lines: readonly SentLine[];
	/** When it ends, in milliseconds of the lab's clock. */
	readonly endsAt: number;
	consumeRef: string | null;
	/** The Idempotency-Key of the first attempt to place it; null: there was none. */
	placeKey: string | null;
}

/** An unordered collection with random access; when it is full, the oldest element is dropped. */
export class Bag<T> {
	readonly #things: T[] = [];
	readonly #most: number;

	constructor(most: number) {
		this.#most = most;
	}

	get size(): number {
		return this.#things.length;
	}

	put(thing: T): void {
		if (this.#things.length >= this.#most) this.#things.shift();
		this.#things.push(thing);
	}

	/** A random element, which stays; null when empty. */
	look(chance: Chance): T | null {
		return this.#things.length === 0 ? null : chance.pick(this.#things);
	}

	/** Removes and returns a matching element; null when there is none. */
	find(chance: Chance, fits: (thing: T) => boolean): T | null {
		const fitting = this.#things.filter(fits);
		if (fitting.length === 0) return null;
		const thing = chance.pick(fitting);
		this.#things.splice(this.#things.indexOf(thing), 1);
		return thing;
	}

	/**
	 * Removes and returns a random element; null when empty, or when `fits` rejects the one drawn, which then stays.
	 */
	take(chance: Chance, fits: (thing: T) => boolean = () => true): T | null {
		if (this.#things.length === 0) return null;
		const at = chance.between(0, this.#things.length - 1);
		const thing = this.#things[at] as T;
		if (!fits(thing)) return null;
		this.#things[at] = this.#things[this.#things.length - 1] as T;
		this.#things.pop();
		return thing;
	}
}

/** Maximum number of holds that a partner keeps open at a time. */
const MOST_OPEN = 60;
/** Maximum number of ended holds that a partner still asks about. */
const MOST_REMEMBERED = 200;

/** What one key remembers of its holds. */
export class HoldsOfKey {
	/** Not ended yet. */
	readonly open = new Bag<KnownHold>(MOST_OPEN * 4);
	/** Left to expire. */
	readonly left = new Bag<KnownHold>(MOST_REMEMBERED);
	readonly consumed = new Bag<KnownHold>(MOST_REMEMBERED);
	/** Released, reversed or expired. */
	readonly over = new Bag<KnownHold>(MOST_REMEMBERED);

	get full(): boolean {
		return this.open.size >= MOST_OPEN;
	}
}

export class HoldsKnown {
	readonly #byKey = new Map<string, HoldsOfKey>();
	#references = 0;

	of(actor: string): HoldsOfKey {
		const known = this.#byKey.get(actor);
		if (known) return known;
		const made = new HoldsOfKey();
		this.#byKey.set(actor, made);
		return made;
	}

	/** A reference that has not been used before. */
	newReference = (what: string): string => `${what}-${++this.#references}`;
}

export const HOLDS: Topic<HoldsKnown> = { name: "holds", make: () => new HoldsKnown() };
