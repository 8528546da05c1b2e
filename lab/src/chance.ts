/** Seeded random numbers: the same seed gives the same sequence. Not for secrets. */
export interface Chance {
	/** From 0 to below 1. */
	fraction(): number;
	/** A whole number from `least` to `most`, both included. */
	between(least: number, most: number): number;
	/** True with this probability. */
	happens(probability: number): boolean;
	/** A random element; throws for an empty list. */
	pick<T>(from: readonly T[]): T;
	/** An independent sequence: drawing from one does not affect the other. */
	fork(name: string): Chance;
}

/** The increment of the mulberry32 generator. */
const STEP = 0x6d2b79f5;
const RANGE = 2 ** 32;

export function createChance(seed: number): Chance {
	let state = seed >>> 0;
	const fraction = (): number => {
		state = (state + STEP) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
	};
	const between = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1));
	return {
		fraction,
		between,
		happens: (probability) => fraction() < probability,
		pick: (from) => {
			const drawn = from[between(0, from.length - 1)];
			if (drawn === undefined) throw new Error("nothing to pick from");
			return drawn;
		},
		fork: (name) => createChance(mix(seed, name)),
	};
}

/** FNV-1a over the name, starting from the seed. */
function mix(seed: number, name: string): number {
	let hash = (seed ^ 0x811c9dc5) >>> 0;
	for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
	return hash;
}
