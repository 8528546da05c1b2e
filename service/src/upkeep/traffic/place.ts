import { type Cursors, filtersText } from "../../ground/lib/cursor.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { LogPlace, ReadRequests } from "./list-sql.ts";

const PLACE = /^(\d{1,15}) (req_[0-9a-f]{24}|~)$/;

/** The place that a cursor's text names; null: it is not a place. */
export function placeOf(text: string): LogPlace | null {
	const [, at, requestId] = PLACE.exec(text) ?? [];
	return at === undefined || requestId === undefined ? null : { at: Number(at), requestId };
}

/** The cursor of the page after this one; null: there is none. */
export const nextCursor = ({ readTo }: ReadRequests): string | null =>
	readTo === null ? null : Buffer.from(`${readTo.at} ${readTo.requestId}`).toString("base64url");

/** A place as a cursor of a partner: sealed, and bound to the key and the filters of its list. */
export const writePlace = (cursors: Cursors, { at, requestId }: LogPlace, bound: Bound): string =>
	`${cursors.write(at, filtersText([...bound, requestId]))}.${requestId}`;

/** The place that such a cursor names. Refuses a cursor of another list, or with other filters. */
export function readPlace(cursors: Cursors, cursor: string, bound: Bound): LogPlace | Refusal<"invalid_input"> {
	const [sealed = "", requestId = ""] = cursor.split(".", 2);
	const at = cursors.read(sealed, filtersText([...bound, requestId]));
	return isRefusal(at) ? at : { at, requestId };
}

/** What determines the requests in a list; undefined: no such filter. */
type Bound = readonly (string | undefined)[];
