import { shownTimeZone } from "../../../service/src/config.ts";

/** Prints a plain line on standard error. */
export const complain = (line: string): void => console.error(harmless(line));

/** Prints the one document of a command: as JSON with `--json`, otherwise for people. */
export function print(data: unknown, json: boolean | undefined, human: () => string): void {
	console.log(harmless(json ? JSON.stringify(data, null, "\t") : human()));
}

/** Whether the command line asks for JSON. Works on an invalid command line too, whose options have not been parsed. */
export function isJsonAsked(argv: readonly string[]): boolean {
	const end = argv.indexOf("--");
	return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}

type Cell = string | number | boolean | Date | null | undefined;

/**
 * Control characters that move the cursor or change the terminal, line separators, and characters that change the text
 * direction.
 */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A partner's text on one line of a terminal: invisible characters are written as escapes. */
const visible = (text: string): string => text.replace(UNSEEN, (one) => (one === "\n" ? "\\n" : escaped(one)));

/**
 * Escapes control characters in output that partners or the shops of a label platform may have contributed to; line
 * feeds and tabs are our own. In JSON such characters occur only in strings, where the escape means the same.
 */
const harmless = (text: string): string =>
	text.replace(UNSEEN, (one) => (one === "\n" || one === "\t" ? one : escaped(one)));

/**
 * The width of the terminal in columns, to which tables are fitted as far as their ids allow; unlimited for other
 * output.
 */
const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY);
/** Columns are not cut below this width. */
const MIN_CUT_WIDTH = 12;
const GAP = "  ";
/** Only values with blanks are cut. Ids, numbers, addresses and states are copied or compared, so they stay whole. */
const TEXT = /\s/;
/** Times at the beginning of a cell, or in a list of times. */
const INSTANT = /(?<=^|, )\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/;
const INSTANTS = new RegExp(INSTANT, "g");

/**
 * Formats rows and headings as a table, with figures aligned to the right. Times are shown in the operator's zone,
 * which the heading names. If the table is wider than `width`, columns without any value are left out and long texts
 * are cut; `--json` has them in full.
 */
export function table(
	headings: readonly string[],
	rows: readonly (readonly Cell[])[],
	width = terminalWidth(),
): string {
	const isTime = headings.map((_, i) => rows.some((row) => INSTANT.test(textOf(row[i]))));
	const zone = zoneShown();
	const named = headings.map((heading, i) => (isTime[i] && heading !== "" ? `${heading} (${zone.name})` : heading));
	const cells = rows.map((row) =>
		headings.map((heading, i) => shown(row[i], zone, heading === "" ? ` ${zone.name}` : "")),
	);
	// no spread: a call takes at most about 100,000 arguments
	const widths = named.map((heading, i) =>
		cells.reduce((widest, row) => Math.max(widest, row[i]?.length ?? 0), heading.length),
	);
	const isFigure = headings.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === "number"));
	const isEmpty = headings.map((_, i) => rows.every((row) => textOf(row[i]) === ""));
	const isCut = headings.map((_, i) => !isFigure[i] && !isTime[i] && rows.some((row) => TEXT.test(textOf(row[i]))));
	const fitting = fit(named, widths, width, { isEmpty, isCut });
	const line = (row: readonly string[]): string =>
		fitting
			.map(({ column, width: most }) => {
				const text = cutTo(row[column] ?? "", most);
				return isFigure[column] ? text.padStart(most) : text.padEnd(most);
			})
			.join(GAP)
			.trimEnd();
	return [line(named), ...cells.map(line)].join("\n");
}

/** A table of things. `columns`: by its heading, the member that a column shows, or a function for it. */
export function tableOf<T>(
	things: readonly T[],
	columns: { readonly [heading: string]: CellOf<T> | ((thing: T) => Cell) },
): string {
	const shown = Object.values(columns);
	const rows = things.map((thing) =>
		shown.map((one) => (typeof one === "function" ? one(thing) : (thing[one] as Cell))),
	);
	return table(Object.keys(columns), rows);
}

/** The members that a cell can show. */
type CellOf<T> = { [Member in keyof T]-?: T[Member] extends Cell ? Member : never }[keyof T];

/** What a list shows to people: if it is empty, `none`; if it has more, the `options` that narrow it; null: none do. */
export function listed<T>(
	{ items, next_cursor: more }: { readonly items: readonly T[]; readonly next_cursor: string | null },
	none: string,
	options: string | null,
	show: (items: readonly T[]) => string,
): string {
	if (items.length === 0) return none;
	const narrow = options === null ? "" : `narrow it with ${options}, or `;
	return more === null ? show(items) : `${show(items)}\n… and more: ${narrow}raise --limit.`;
}

/** What follows a page of a list: how to see the next one. */
export const nextPage = (cursor: string | null): string => (cursor === null ? "" : `\n\nMore with --cursor ${cursor}`);

/** Facts, one a line. */
export const factTable = (facts: readonly (readonly [string, Cell])[]): string => table(["", ""], facts).trimStart();

/** The visible columns with their widths. */
function fit(
	headings: readonly string[],
	widths: readonly number[],
	most: number,
	{ isEmpty, isCut }: { readonly isEmpty: readonly boolean[]; readonly isCut: readonly boolean[] },
): { column: number; width: number }[] {
	const over = (columns: readonly { width: number }[]): number =>
		columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - most;
	const all = widths.map((width, column) => ({ column, width }));
	const columns = over(all) > 0 ? all.filter(({ column }) => !isEmpty[column]) : all;
	const cuttable = columns.filter(({ column }) => isCut[column]);
	const leastOf = (column: number): number => Math.max(MIN_CUT_WIDTH, headings[column]?.length ?? 0);
	for (let more = over(columns); more > 0; more = over(columns)) {
		const [widest] = cuttable
			.filter(({ column, width }) => width > leastOf(column))
			.toSorted((a, b) => b.width - a.width);
		if (widest === undefined) break;
		widest.width = Math.max(leastOf(widest.column), widest.width - 1);
	}
	return columns;
}

const cutTo = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

const textOf = (cell: Cell): string => (cell instanceof Date ? cell.toISOString() : String(cell ?? ""));

interface Zone {
	/** Its short name, such as `GMT+1`. */
	readonly name: string;
	/** Formats as `2026-11-24 09:15:03`. */
	readonly clock: Intl.DateTimeFormat;
}

function zoneShown(): Zone {
	const timeZone = shownTimeZone();
	const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "short" }).formatToParts();
	return {
		name: parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone,
		clock: new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
	};
}

/** `suffix`: appended to a time. */
const shown = (cell: Cell, { clock }: Zone, suffix: string): string =>
	cell === null || cell === undefined
		? "-"
		: visible(textOf(cell)).replace(INSTANTS, (instant) => `${clock.format(new Date(instant))}${suffix}`);

/** The first rows of a list, and a line that says how many are not shown. */
export function shorten<T>(rows: readonly T[], most: number, what: string): { shown: T[]; rest: string[] } {
	const more = rows.length - most;
	return { shown: rows.slice(0, most), rest: more > 0 ? [`… and ${more} more ${what}: --json lists all`] : [] };
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
