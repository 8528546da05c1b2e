/** Levenshtein distance: letters added, dropped or changed. */
export function lettersOff(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (const [i, letter] of [...a].entries()) {
		const next = [i + 1];
		for (const [j, other] of [...b].entries()) {
			const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}
