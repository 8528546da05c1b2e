/** Lines that a command counts for when its size is not known, as a usual hold. */
export const USUAL_LINES = 2;
/** Sizes of one generation. Two are remembered; the older one is forgotten as a whole. */
const MAX_IN_GENERATION = 25_000;

/** Sizes of large things by their names, in lines: what a later command on them costs. */
export interface KnownSizes {
	/** USUAL_LINES when it is not remembered. */
	of(name: string): number;
	/** Remembers a size that is above the usual. */
	note(name: string, lines: number): void;
}

export function createKnownSizes(): KnownSizes {
	// two generations, because a Map that loses its oldest entry one at a time takes longer and longer to find it: its
	// places stay empty until the Map is built anew
	let young = new Map<string, number>();
	let old = new Map<string, number>();
	return {
		of: (name) => young.get(name) ?? old.get(name) ?? USUAL_LINES,
		note(name, lines) {
			if (lines <= USUAL_LINES) return; // to remember each usual hold costs more than it tells
			young.set(name, lines);
			if (young.size < MAX_IN_GENERATION) return;
			old = young;
			young = new Map();
		},
	};
}
