import { toWire } from "../client/camel.ts";

/** Characters that move the cursor, change the terminal or the direction of text, and separators of lines. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** Longer than any placeholder in a text. */
const SECRET = /\b(sk_|whsec_)[A-Za-z0-9_+/=]{8,}/g;

/**
 * Text as it may be printed: without the secret half of a key and without secrets of webhooks, wherever it came from;
 * control characters, which a partner's data or a stranger's request may have, are written as escapes.
 */
export function harmless(text: string): string {
	return text
		.replaceAll(UNSEEN, (one) => (one === "\n" || one === "\t" ? one : `\\u${hexOf(one)}`))
		.replaceAll(SECRET, "$1…");
}

const hexOf = (one: string): string => one.charCodeAt(0).toString(16).padStart(4, "0");

/** Prints the one document of a command: as JSON with names as in the API, or as text for people. */
export function print(document: unknown, json: boolean | undefined, text: () => string): void {
	console.log(harmless(json ? JSON.stringify(toWire(document), null, "\t") : text()));
}

/** The same for one of many documents: with JSON, one line for each. */
export function printLine(document: unknown, json: boolean | undefined, text: () => string): void {
	console.log(harmless(json ? JSON.stringify(toWire(document)) : text()));
}

/** A line for people that is not a result: on standard error, so that only the result is piped on. */
export const tell = (line: string): void => console.error(harmless(line));

/** Rows in columns; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
	const line = (row: readonly string[]): string =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd();
	return rows.map(line).join("\n");
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `There is 1 order.`, `There are 2 orders.` */
export const thereAre = (count: number, one: string, many?: string): string =>
	`There ${count === 1 ? "is" : "are"} ${plural(count, one, many)}.`;

/** An instant in UTC, to the second. */
export const instant = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, "Z");
