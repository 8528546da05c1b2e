import type { LogPlace, ReadRequests } from "./list-sql.ts";

const PLACE = /^(\d{1,15}) (req_[0-9a-f]{24}|~)$/;

/** A place in the list as the text of a cursor. */
export const placeText = ({ at, requestId }: LogPlace): string => `${at} ${requestId}`;

/** The place that a cursor's text names; null: it names none. */
export function placeOf(text: string): LogPlace | null {
	const [, at, requestId] = PLACE.exec(text) ?? [];
	return at === undefined || requestId === undefined ? null : { at: Number(at), requestId };
}

/** The cursor of the page after this one; null: there is none. */
export const nextCursor = ({ readTo }: ReadRequests): string | null =>
	readTo === null ? null : Buffer.from(placeText(readTo)).toString("base64url");
