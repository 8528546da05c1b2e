import { toRfc3339 } from "./clock.ts";
import { type Cursors, filtersText } from "./cursor.ts";
import { isDay, parseInstant } from "./instant.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";

/** Items of a page at most (settlements, section 7). */
export const PAGE_MAX = 500;
/** Items of a page unless the request, or the list, says otherwise (settlements, section 7). */
const PAGE_DEFAULT = 100;

/** One request for a page of a list whose rows have numbers in commit order (pg/epoch.ts). */
export interface Page {
	/** The number up to which the reader has come; 0: it begins. */
	readonly after: number;
	/** Items at most. A statement asks for one row more, which says whether another page follows. */
	readonly limit: number;
	/** The cursor of a reader that has come up to a number. */
	cursorAt(number: number): string;
}

/**
 * The page that a request asks for. `filters` are whatever decides which rows the reader sees, the key first: a cursor
 * made with others is refused.
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

/** A filter such as `updated_since`, in milliseconds since 1970. */
export function readSince(name: string, text: string | undefined): number | undefined | Refusal<"invalid_input"> {
	if (text === undefined) return undefined;
	const since = parseInstant(text);
	return since ?? refuse("invalid_input", `/${name}: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)`);
}

/** A filter such as `from`, a day. */
export function readDay(name: string, text: string | undefined): string | undefined | Refusal<"invalid_input"> {
	if (text === undefined || isDay(text)) return text;
	return refuse("invalid_input", `/${name}: expected a day such as 2026-09-06`);
}

/** The index of the first row whose number is above `after`, of rows in the order of their numbers. */
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
	/** Are there more rows than the limit? */
	readonly hasMore: boolean;
}

/** At most `limit` rows. `read` is asked for one more. */
export async function firstRows<Row>(
	limit: number,
	read: (most: number) => Promise<{ readonly rows: readonly Row[] }>,
): Promise<FirstRows<Row>> {
	const { rows } = await read(limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** The rows of a page. */
export interface PageRows<Row> {
	readonly rows: readonly Row[];
	readonly hasMore: boolean;
	/** The number up to which a reader of this page has come. */
	readonly last: number;
}

/**
 * Takes a page from rows that come after the cursor, in the order of their numbers; asks for no more of them than it
 * needs.
 */
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

/**
 * The reply of a list, as `listOf` of http/list.ts describes it. The last page has a cursor, too: the reader comes back
 * with it.
 */
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
