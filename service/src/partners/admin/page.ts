import Type, { type TProperties, type TSchema } from "typebox";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { Text } from "../http/text.ts";

/** Items of a page at most, and unless the request says otherwise (operator contract, section 3). */
const PAGE_MAX = 500;
const PAGE_DEFAULT = 50;
/** Code points of a cursor at most. */
const CURSOR_MAX = 1_000;

/** The query of an operator's list: its own filters, then `limit` and `cursor`. */
export const pageQuery = <Filters extends TProperties>(filters: Filters) =>
	Type.Object(
		{
			...filters,
			limit: Type.Optional(
				Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Items of a page at most (${PAGE_DEFAULT}).` }),
			),
			cursor: Type.Optional(
				Text({
					min: 1,
					max: CURSOR_MAX,
					description: "The `next_cursor` of the page before. Without it the list begins.",
				}),
			),
		},
		{ additionalProperties: false },
	);

/** A page of an operator's list. */
export const pageOf = <Item extends TSchema>(item: Item, title: string) =>
	Type.Object(
		{
			items: Type.Array(item),
			next_cursor: Type.Union([Type.String(), Type.Null()], { description: "Null: this is the last page." }),
		},
		{ title },
	);

/** One request for a page of rows in the order of a text. */
export interface OperatorPage {
	/** The key of the last row of the page before; null: the list begins. */
	readonly after: string | null;
	/** Items at most. The statement asks for one row more, which says whether another page follows. */
	readonly limit: number;
}

/** The page that a request asks for. Operators may see every row, so a cursor is the key of a row and hides nothing. */
export function readOperatorPage({
	limit = PAGE_DEFAULT,
	cursor,
}: {
	readonly limit?: number | undefined;
	readonly cursor?: string | undefined;
}): OperatorPage | Refusal<"invalid_input"> {
	if (cursor === undefined) return { after: null, limit };
	const bytes = Buffer.from(cursor, "base64url");
	const after = bytes.toString("utf8");
	if (after === "" || bytes.toString("base64url") !== cursor || after.includes("\0") || after.includes("\ufffd"))
		return refuse("invalid_input", "/cursor: expected the next_cursor of another page of this list");
	return { after, limit };
}

/** The reply of a list. `rows`: up to one more than the limit. */
export function writeOperatorPage<Row, Item>(
	{ limit }: OperatorPage,
	rows: readonly Row[],
	keyOf: (row: Row) => string,
	itemOf: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
	const shown = rows.slice(0, limit);
	const last = shown.at(-1);
	return {
		items: shown.map(itemOf),
		next_cursor: rows.length > limit && last !== undefined ? Buffer.from(keyOf(last)).toString("base64url") : null,
	};
}
