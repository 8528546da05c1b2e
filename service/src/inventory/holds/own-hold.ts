import { refuse } from "../../ground/lib/refusal.ts";
import type { Hold } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/** The hold with this token if the key owns it. For other keys it does not exist. */
export function ownHold(book: BookWithHolds, keyId: string, token: string): Hold | undefined {
	const hold = book.holds.byToken.get(token);
	return hold?.keyId === keyId ? hold : undefined;
}

export const NO_HOLD = refuse("not_found", "There is no hold with this reservation_token.");
