import { LRUCache } from "lru-cache";

/** Number of lines assumed for a command of unknown size: that of a usual hold. */
export const USUAL_LINES = 2;
/** Maximum number of sizes kept: those of the most recently used things. */
const MAX_SIZES = 50_000;

/** Sizes of large things by their names, in lines: the cost of a later command on them. */
export interface KnownSizes {
	/** USUAL_LINES if unknown. */
	of(name: string): number;
	/** Remembers a size above the usual. */
	note(name: string, lines: number): void;
}

export function createKnownSizes(): KnownSizes {
	let sizes: LRUCache<string, number> | undefined; // it allocates all its memory at once, so only when needed
	return {
		of: (name) => sizes?.get(name) ?? USUAL_LINES,
		note(name, lines) {
			if (lines <= USUAL_LINES) return; // storing every usual hold would cost more than it helps
			sizes ??= new LRUCache({ max: MAX_SIZES });
			sizes.set(name, lines);
		},
	};
}
