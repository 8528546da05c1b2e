import type { Stamped } from "../lib/stamped.ts";
import type { Query } from "./connect.ts";

/** A value of the database in memory. It is trusted only after the transaction at hand has said that its stamp is still the last. */
export interface VersionedCache<T extends Stamped> {
	/** What was last read, perhaps superseded: good for guessing what to load, never for deciding. */
	guess(): T;
	/** The value as this transaction sees it. One statement. */
	read(tx: Query): Promise<T>;
}

/**
 * `load` reads the value in one statement, so in one snapshot, and answers `seen` itself when that is still the last. Of readings
 * that overlap the one that began last is kept; whichever is kept is true to its own stamp.
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
