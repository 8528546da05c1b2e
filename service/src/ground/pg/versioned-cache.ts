import type { Stamped } from "../lib/stamped.ts";
import type { Query } from "./connect.ts";

/**
 * A value of the database in memory, of one moment in the history of its epoch. Catalogue and promised demand are
 * trusted after the transaction at hand has said that their stamps are still the last; keys while their reading is
 * young (keys/key-cache.ts).
 */
export interface VersionedCache<T extends Stamped> {
	/**
	 * The value last read, perhaps superseded. Who decides on it makes sure of its stamp, or of the age of its reading.
	 */
	guess(): T;
	/** The value as this transaction sees it. One statement. */
	read(tx: Query): Promise<T>;
}

/**
 * `load` reads the value in one statement, so in one snapshot; what has not changed since `seen` it may take from
 * there. Of readings that overlap the one that began last is kept; whichever is kept is true to its own stamp.
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
