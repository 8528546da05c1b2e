/** The value that `share` of the figures do not exceed; NaN when there are none. */
export function quantile(figures: readonly number[], share: number): number {
	const sorted = figures.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const most = (figures: readonly number[]): number => figures.reduce((a, b) => Math.max(a, b), 0);

/** "p50 1.2  p99 4.5  max 8.0 ms (n 1234)" */
export function spread(figures: readonly number[]): string {
	const [p50, p99, max] = [quantile(figures, 0.5), quantile(figures, 0.99), most(figures)].map((ms) => ms.toFixed(1));
	return `p50 ${p50}  p99 ${p99}  max ${max} ms (n ${figures.length})`;
}

/** How often each word occurs, most frequent first. */
export function tally(words: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
	return sorted.map(([word, count]) => `${count} x ${word}`).join(", ") || "none";
}
