/** A word counts as mistyped if it has at most one difference for every three characters. */
const CHARACTERS_PER_DIFFERENCE = 3;

/** ` Did you mean "…"?` for the known word that is most like what was typed, or an empty text. */
export function didYouMean(typed: string, known: readonly string[]): string {
	const most = Math.max(1, Math.floor(typed.length / CHARACTERS_PER_DIFFERENCE));
	const ranked = known
		.map((word) => ({ word, far: Math.min(distance(typed, word), distance(typed, word.split(" ").at(-1) ?? word)) }))
		.filter(({ far }) => far <= most)
		.sort((one, other) => one.far - other.far);
	return ranked[0] === undefined ? "" : ` Did you mean "${ranked[0].word}"?`;
}

/** Letters to insert, delete, replace or swap with the next one (optimal string alignment). */
function distance(one: string, other: string): number {
	let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
	for (let i = 1; i <= one.length; i++) {
		const row = [i];
		for (let j = 1; j <= other.length; j++) {
			const isSame = one[i - 1] === other[j - 1];
			const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
			const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
			row.push(Math.min(...steps, isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
		}
		[before, last] = [last, row];
	}
	return last[other.length] ?? 0;
}
