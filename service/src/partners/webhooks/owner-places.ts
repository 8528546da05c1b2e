/** A limited number of places for each owner. */
export interface OwnerPlaces {
	/** Takes one of the owner's places and returns the function that gives it back; null if all are taken. */
	take(owner: string): (() => void) | null;
}

export function createOwnerPlaces(mostOfOne: number): OwnerPlaces {
	const taken = new Map<string, number>();
	return {
		take(owner) {
			const before = taken.get(owner) ?? 0;
			if (before >= mostOfOne) return null;
			taken.set(owner, before + 1);
			return () => {
				const left = (taken.get(owner) ?? 1) - 1;
				if (left > 0) taken.set(owner, left);
				else taken.delete(owner);
			};
		},
	};
}
