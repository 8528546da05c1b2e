/**
 * A number from 0 to below 1 that depends only on the seed and the text. The same seed makes the same choices for the
 * same invoice in whatever order answers arrive.
 */
export function chance(seed: number, text: string): number {
	let hash = (2166136261 ^ seed) >>> 0;
	for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	// FNV alone gives similar texts similar values; this is the finaliser of MurmurHash3.
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of the options, with probabilities proportional to their weights. */
export function choose<T extends string>(seed: number, text: string, weights: Readonly<Record<T, number>>): T {
	const options = Object.entries(weights) as [T, number][];
	let left = chance(seed, text) * options.reduce((sum, [, weight]) => sum + weight, 0);
	for (const [option, weight] of options) {
		left -= weight;
		if (left < 0) return option;
	}
	return (options.at(-1) as [T, number])[0];
}
