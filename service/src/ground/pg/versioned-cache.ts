import type { Stamped } from "../lib/stamped.ts";
import type { Query } from "./connect.ts";

/**
 * A value from the database in memory, as of one number of its epoch. Catalogue and promised demand may be used once
 * the current transaction has confirmed that their stamps are still the latest; keys, while their last read is recent
 * (keys/key-cache.ts).
 */
export interface VersionedCache<T extends Stamped> {
	/** The value last read, perhaps outdated. Before deciding on it, check its stamp or the age of its read. */
	guess(): T;
	/** The value as this transaction sees it. One statement. */
	read(tx: Query): Promise<T>;
}

/**
 * `load` reads the value in one statement, hence one snapshot; it may reuse unchanged parts of `seen`. Of overlapping
 * reads the one that began last is kept; every value matches its own stamp.
 */
export function createVersionedCache<T extends Stamped>(
	empty: T,
	load: (tx: Query, seen: T) => Promise<T>,
): VersionedCache<T> {
	let kept = empty;
	let keptReading = 0;
	let lastReading = 0;
	return {
		guess: () => kept,
		async read(tx) {
			const reading = ++lastReading;
			const fresh = await load(tx, kept);
			if (reading > keptReading) {
				kept = fresh;
				keptReading = reading;
			}
			return fresh;
		},
	};
}
