/** Maximum number of owners whose moment is remembered. */
const MOST_OWNERS = 10_000;

/**
 * For each owner of reads, the latest moment that it has seen, in monotonic milliseconds: no reply to it shows an
 * earlier state.
 */
export interface Floors {
	/** The latest moment that one of these owners has seen. */
	of(owners: readonly string[]): number;
	raise(owners: readonly string[], moment: number): void;
}

/**
 * All forgotten owners share the latest moment of any of them, so such an owner may be shown a later state than it
 * needs.
 */
export function createFloors(most = MOST_OWNERS): Floors {
	const floors = new Map<string, number>();
	let ofForgotten = Number.NEGATIVE_INFINITY;
	return {
		of: (owners) => Math.max(...owners.map((owner) => floors.get(owner) ?? ofForgotten)),
		raise(owners, moment) {
			for (const owner of owners) {
				const before = floors.get(owner) ?? ofForgotten;
				floors.delete(owner); // the most recent reader is forgotten last
				floors.set(owner, Math.max(before, moment));
			}
			for (const [owner, floor] of floors) {
				if (floors.size <= most) break;
				floors.delete(owner);
				ofForgotten = Math.max(ofForgotten, floor);
			}
		},
	};
}
