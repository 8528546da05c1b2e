/**
 * Maximum number of letters by which a name may differ from the known one, and at most one for every three of its
 * letters.
 */
const MAX_LETTERS_OFF = 2;
const LETTERS_FOR_EACH = 3;
/** Shorter names are too similar to each other. */
const MIN_LENGTH = 4;

/** The known name that an unknown one resembles, or null: another spelling, or one or two letters off. */
export function nearest(name: string, known: readonly string[]): string | null {
	const plain = plainOf(name);
	const spelled = known.find((one) => plainOf(one) === plain);
	if (spelled !== undefined) return spelled;
	if (name.length < MIN_LENGTH) return null;
	const most = Math.min(MAX_LETTERS_OFF, Math.floor(name.length / LETTERS_FOR_EACH));
	const near = known
		.filter(({ length }) => Math.abs(length - name.length) <= most)
		.map((one) => ({ one, off: lettersOff(name, one, most) }))
		.filter(({ off }) => off <= most)
		.toSorted((a, b) => a.off - b.off);
	return near[0]?.one ?? null;
}

/** A suggestion for an unknown name, as the end of a sentence. `otherwise`: used if no known name is near. */
export function adviceOn(name: string, known: readonly string[], otherwise: string): string {
	const meant = nearest(name, known);
	return meant === null ? otherwise : `did you mean ${JSON.stringify(meant)}?`;
}

const plainOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Levenshtein distance: letters added, dropped or changed. If it exceeds `most`, returns any number above `most`. */
export function lettersOff(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
	let row = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (const [i, letter] of [...a].entries()) {
		const next = [i + 1];
		for (const [j, other] of [...b].entries()) {
			const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
		if (Math.min(...row) > most) return most + 1;
	}
	return row[b.length] ?? 0;
}
