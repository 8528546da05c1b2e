/** Numbers from 0 to below 1, the same for the same seed, so that a failure can be reproduced (mulberry32). */
export function seeded(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** The same as choices. */
export interface Random {
	/** A whole number from 0 to below `n`. */
	below(n: number): number;
	/** From `least` to `most`, both included. */
	between(least: number, most: number): number;
	/** True once in `n`. */
	once(n: number): boolean;
	pick<T>(from: readonly T[]): T;
}

export function createRandom(seed: number): Random {
	const next = seeded(seed);
	const below = (n: number): number => Math.floor(next() * n);
	return {
		below,
		between: (least, most) => least + below(most - least + 1),
		once: (n) => below(n) === 0,
		pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
	};
}
