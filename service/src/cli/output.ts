import { shownTimeZone } from "../config.ts";

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

type Cell = string | number | boolean | Date | null | undefined;

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

/** Columns of the terminal that a table is made to fit, where its ids allow that; what goes elsewhere is not cut. */
const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY);
/** A column is not cut below this width. */
const MIN_CUT_WIDTH = 12;
const GAP = "  ";
/**
 * Only what has blanks is a text. Ids, numbers, addresses and states are typed, compared or called: they are not cut.
 */
const TEXT = /\s/;
/** Times at the beginning of a cell, or in a list of them. */
const INSTANT = /(?<=^|, )\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/;
const INSTANTS = new RegExp(INSTANT, "g");

/**
 * Rows under their headings, figures to the right. Times are shown in the operator's zone, which a heading names. In a
 * table that is wider than `width`, columns without a value are left out, and long texts are cut: `--json` has them
 * whole.
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
	// not by spreading: a call takes some 100,000 arguments at most
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

/** The columns that are shown, with their widths. */
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
	/** Its short name, as `GMT+1`. */
	readonly name: string;
	/** Writes `2026-11-24 09:15:03`. */
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

/** `suffix`: what follows a time. */
const shown = (cell: Cell, { clock }: Zone, suffix: string): string =>
	cell === null || cell === undefined
		? "-"
		: visible(textOf(cell)).replace(INSTANTS, (instant) => `${clock.format(new Date(instant))}${suffix}`);

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
