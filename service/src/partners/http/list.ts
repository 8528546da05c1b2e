import Type, { type TProperties, type TSchema } from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { PAGE_MAX } from "../../ground/lib/page.ts";
import { Instant, ReplyObject, Text } from "./text.ts";

/** Maximum length of a cursor, in code points. */
const CURSOR_MAX = 512;

/** The query of a list: its own filters, then `limit` and `cursor`. */
export const listQuery = <Filters extends TProperties>(filters: Filters) =>
	Closed({
		...filters,
		limit: Type.Optional(
			Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: "Maximum number of entries per page." }),
		),
		cursor: Type.Optional(
			Text({
				min: 1,
				max: CURSOR_MAX,
				description:
					"The `next_cursor` of an earlier page with the same filters: the list continues after that page. Without it, the list starts from the beginning.",
			}),
		),
	});

/** The last page of a list, as an example. */
export const examplePage = <Item>(...items: Item[]) => ({
	items,
	next_cursor: "PFJljuwYt2UKyOOwg0U0qPnsSEgzrKD5",
	has_more: false,
	as_of: "2026-09-06T12:00:00.000Z",
});

/** A page of a list, as lib/page.ts writes it. `asOf` is the description of the field `as_of`. */
export const listOf = <Item extends TSchema>(item: Item, { title, asOf }: { title: string; asOf: string }) =>
	ReplyObject(title, {
		items: Type.Array(item, { description: "In the order of their changes." }),
		next_cursor: Type.String({
			description: "Keep it: the next page begins there, even if there is nothing more yet.",
		}),
		has_more: Type.Boolean({ description: "There are more entries already." }),
		as_of: Instant(asOf),
	});
