import Type, { type TProperties, type TSchema } from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import type { FirstRows } from "../../ground/lib/page.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { ReplyObject, Text } from "../http/text.ts";

/** The maximum and the default number of items on a page (operator contract, section 3). */
const PAGE_MAX = 500;
const PAGE_DEFAULT = 50;
/** Maximum length of a cursor, in code points. */
const CURSOR_MAX = 1_000;

/** The query of an operator's list: its own filters, then `limit` and `cursor`. */
export const pageQuery = <Filters extends TProperties>(filters: Filters) =>
	Closed({
		...filters,
		limit: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: PAGE_MAX,
				description: `Maximum number of items per page (${PAGE_DEFAULT}).`,
			}),
		),
		cursor: Type.Optional(
			Text({
				min: 1,
				max: CURSOR_MAX,
				description: "The `next_cursor` of the previous page. Without it, the list starts from the beginning.",
			}),
		),
	});

export const pageOf = <Item extends TSchema>(item: Item, title: string) =>
	ReplyObject(title, {
		items: Type.Array(item),
		next_cursor: Type.Union([Type.String(), Type.Null()], { description: "Null: this is the last page." }),
	});

interface OperatorPage<Place> {
	/** The place of the last row of the previous page; null: this is the first page. */
	readonly after: Place | null;
	/** Maximum number of items. */
	readonly limit: number;
}

export interface PageQuery {
	readonly limit?: number | undefined;
	readonly cursor?: string | undefined;
}

/** The requested page of a list in the order of a text. */
export const readOperatorPage = (query: PageQuery): OperatorPage<string> | Refusal<"invalid_input"> =>
	readPageFrom(query, (text) => text);

/**
 * The requested page. Operators may see every row, so a cursor is simply the place of a row as text. `placeOf`: the
 * place that a text names; null: it names none.
 */
export function readPageFrom<Place>(
	{ limit = PAGE_DEFAULT, cursor }: PageQuery,
	placeOf: (text: string) => Place | null,
): OperatorPage<Place> | Refusal<"invalid_input"> {
	if (cursor === undefined) return { after: null, limit };
	const bytes = Buffer.from(cursor, "base64url");
	const text = bytes.toString("utf8");
	const isText = text !== "" && bytes.toString("base64url") === cursor && !/[\0\ufffd]/.test(text);
	const after = isText ? placeOf(text) : null;
	if (after !== null) return { after, limit };
	return refuse("invalid_input", "/cursor: expected the next_cursor of another page of this list");
}

/** The place in a list in the order of ids. */
export const rowId = (text: string): string | null => (isRowId(text) ? text : null);
/** The place in a list in the order of numbers, which have fewer digits than JavaScript's largest integer. */
export const rowNumber = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** Whether this text has the form of a row's id. */
export const isRowId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

export function writeOperatorPage<Row, Item>(
	{ items, hasMore }: FirstRows<Row>,
	keyOf: (row: Row) => string,
	itemOf: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
	const last = items.at(-1);
	return {
		items: items.map(itemOf),
		next_cursor: hasMore && last !== undefined ? Buffer.from(keyOf(last)).toString("base64url") : null,
	};
}
