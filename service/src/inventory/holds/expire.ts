import type { Origin } from "../stock/move.ts";
import { expireIfDue } from "./end-hold.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";

/** Frees the units of a hold that is past its end. */
export interface ExpireCommand {
	readonly kind: "expire";
	readonly origin: Origin;
	readonly token: string;
}

export const expire: HoldKind<ExpireCommand, { readonly expired: boolean }> = {
	looksUp: false,
	needs: ({ tokens }, { token }) => void tokens.push({ token, keyId: null }),
	decide: decideExpire,
	weigh: ({ token }, sizes) => sizes.of(token),
	identities: ({ token }) => [token],
};

/** For the sweep. An overdue hold is expired when the book is opened, so nothing is left to decide. */
function decideExpire(book: BookWithHolds, { token }: ExpireCommand): { expired: boolean } {
	const hold = book.holds.byToken.get(token);
	if (hold) expireIfDue(book, hold);
	return { expired: hold?.status === "expired" };
}
