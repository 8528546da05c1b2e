import { LRUCache } from "lru-cache";

/** Lines that a command counts for when its size is not known, as a usual hold. */
export const USUAL_LINES = 2;
/** Sizes that are remembered: of the things used last. */
const MAX_SIZES = 50_000;

/** Sizes of large things by their names, in lines: what a later command on them costs. */
export interface KnownSizes {
	/** USUAL_LINES when it is not remembered. */
	of(name: string): number;
	/** Remembers a size that is above the usual. */
	note(name: string, lines: number): void;
}

export function createKnownSizes(): KnownSizes {
	const sizes = new LRUCache<string, number>({ max: MAX_SIZES });
	return {
		of: (name) => sizes.get(name) ?? USUAL_LINES,
		note(name, lines) {
			if (lines > USUAL_LINES) sizes.set(name, lines); // to remember each usual hold costs more than it tells
		},
	};
}
