import { toRfc3339 } from "./clock.ts";
import { type Cursors, filtersText } from "./cursor.ts";
import { isDay, parseInstant } from "./instant.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";

/** Maximum number of items per page (settlements, section 7). */
export const PAGE_MAX = 500;
/** Default number of items per page, if neither the request nor the list sets a limit (settlements, section 7). */
const PAGE_DEFAULT = 100;

/** One request for a page of a list whose rows have numbers in commit order (pg/epoch.ts). */
export interface Page {
	/** The number up to which the reader has read; 0 at the start. */
	readonly after: number;
	/** Maximum number of items. Statements fetch one row more, to see whether another page follows. */
	readonly limit: number;
	/** The cursor of a reader that has read up to a number. */
	cursorAt(number: number): string;
}

/**
 * The requested page. `filters`: the key and everything else that decides which rows the reader sees; the cursor is
 * bound to them.
 */
export function readPage(
	cursors: Cursors,
	{ limit = PAGE_DEFAULT, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
	filters: readonly (string | undefined)[],
): Page | Refusal<"invalid_input"> {
	const text = filtersText(filters);
	const after = cursor === undefined ? 0 : cursors.read(cursor, text);
	return isRefusal(after) ? after : { after, limit, cursorAt: (number) => cursors.write(number, text) };
}

/** A filter such as `updated_since`, in epoch milliseconds. */
export function readSince(name: string, text: string | undefined): number | undefined | Refusal<"invalid_input"> {
	if (text === undefined) return undefined;
	const since = parseInstant(text);
	return since ?? refuse("invalid_input", `/${name}: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)`);
}

/** Reads a filter whose value is a day, such as `from`. */
export function readDay(name: string, text: string | undefined): string | undefined | Refusal<"invalid_input"> {
	if (text === undefined || isDay(text)) return text;
	return refuse("invalid_input", `/${name}: expected a day such as 2026-09-06`);
}

/** The index of the first row whose number is above `after`; rows are in the order of their numbers. */
export function firstAbove<Row>(rows: readonly Row[], after: number, numberOf: (row: Row) => number): number {
	let low = 0;
	let high = rows.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (numberOf(rows[middle] as Row) <= after) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The first rows of a list that has no pages. */
export interface FirstRows<Row> {
	readonly items: readonly Row[];
	/** Whether there are more rows than the limit. */
	readonly hasMore: boolean;
}

/** At most `limit` rows. `read` must return up to one more. */
export async function firstRows<Row>(
	limit: number,
	read: (most: number) => Promise<{ readonly rows: readonly Row[] }>,
): Promise<FirstRows<Row>> {
	const { rows } = await read(limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}

export interface PageRows<Row> {
	readonly rows: readonly Row[];
	readonly hasMore: boolean;
	/** The number of the last row, or the reader's position if there is none. */
	readonly last: number;
}

/** Takes a page from rows after the cursor, in the order of their numbers, and iterates no further than needed. */
export function takePage<Row>(page: Page, rows: Iterable<Row>, numberOf: (row: Row) => number): PageRows<Row> {
	const taken: Row[] = [];
	let last = page.after;
	for (const row of rows) {
		if (taken.length === page.limit) return { rows: taken, hasMore: true, last };
		taken.push(row);
		last = numberOf(row);
	}
	return { rows: taken, hasMore: false, last };
}

/** The rows of a page up to a number; those above come with a later page. */
export function upTo<Row>(
	{ after }: Page,
	page: PageRows<Row>,
	most: number,
	numberOf: (row: Row) => number,
): PageRows<Row> {
	if (page.last <= most) return page;
	const rows = page.rows.slice(0, firstAbove(page.rows, most, numberOf));
	const last = rows.at(-1);
	return { rows, hasMore: false, last: last === undefined ? after : numberOf(last) };
}

/** The reply of a list, as described by `listOf` of http/list.ts. The last page has a cursor too, for the next poll. */
export function writePage<Row, Item>(
	{ cursorAt }: Page,
	{ rows, hasMore, last }: PageRows<Row>,
	itemOf: (row: Row) => Item,
	asOfMs: number,
): { items: Item[]; next_cursor: string; has_more: boolean; as_of: string } {
	return {
		items: rows.map(itemOf),
		next_cursor: cursorAt(last),
		has_more: hasMore,
		as_of: toRfc3339(asOfMs),
	};
}
