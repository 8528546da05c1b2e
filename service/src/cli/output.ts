/** `error` as a plain line for standard error. */
export const complain = (line: string): void => console.error(harmless(line));

/** Prints the one document of a command: as JSON with `--json`, else for people. */
export function print(data: unknown, json: boolean | undefined, human: () => string): void {
	console.log(harmless(json ? JSON.stringify(data, null, "\t") : human()));
}

/** Does the line ask for JSON? Also of a line that is wrong otherwise, whose options nobody has read. */
export function isJsonAsked(argv: readonly string[]): boolean {
	const end = argv.indexOf("--");
	return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}

type Cell = string | number | boolean | null | undefined;

/** Characters that would move the cursor, change the terminal, or turn the direction of what follows. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text of a partner's on one line of a terminal: what cannot be seen is written as an escape. */
const visible = (text: string): string => text.replace(UNSEEN, (one) => (one === "\n" ? "\\n" : escaped(one)));

/**
 * What is printed, whoever wrote parts of it: partners, or the shops of a label platform. Its lines and tabs are ours.
 * In JSON such characters stand in texts alone, and the escape means the same.
 */
const harmless = (text: string): string =>
	text.replace(UNSEEN, (one) => (one === "\n" || one === "\t" ? one : escaped(one)));

/** Rows under their headings, figures to the right. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
	const cells = rows.map((row) =>
		row.map((cell) => (cell === null || cell === undefined ? "-" : visible(String(cell)))),
	);
	// not by spreading: a call takes some 100,000 arguments at most
	const widths = headings.map((heading, i) =>
		cells.reduce((widest, row) => Math.max(widest, row[i]?.length ?? 0), heading.length),
	);
	const right = headings.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === "number"));
	const line = (row: readonly string[]): string =>
		row
			.map((cell, i) => (right[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
			.join("  ")
			.trimEnd();
	return [line(headings), ...cells.map(line)].join("\n");
}

/** The first rows of a list that may be long, and the line that says what of it is not shown. */
export function shorten<T>(rows: readonly T[], most: number, what: string): { shown: readonly T[]; rest: string[] } {
	const more = rows.length - most;
	return { shown: rows.slice(0, most), rest: more > 0 ? [`… and ${more} more ${what}: --json lists all`] : [] };
}

/** The same with every name in snake_case, as all documents of Holdfast have them. */
export function snake(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(snake);
	if (value === null || typeof value !== "object" || value instanceof Date) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [
			name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
			snake(inner),
		]),
	);
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
