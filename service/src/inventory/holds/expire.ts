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

export interface ExpireAnswer {
	readonly expired: boolean;
	/** The key whose hold this batch ended; null: it had ended before, on another node perhaps, or is not due. */
	readonly endedFor: string | null;
}

export const expire: HoldKind<ExpireCommand, ExpireAnswer> = {
	looksUp: false,
	needs: ({ tokens }, { token }) => void tokens.push({ token, keyId: null }),
	decide: decideExpire,
	weigh: ({ token }, sizes) => sizes.of(token),
	identities: ({ token }) => [token],
};

/** For the sweep. An overdue hold is expired when the book is opened, so nothing is left to decide. */
function decideExpire(book: BookWithHolds, { token }: ExpireCommand): ExpireAnswer {
	const hold = book.holds.byToken.get(token);
	if (hold) expireIfDue(book, hold);
	const expired = hold?.status === "expired";
	return { expired, endedFor: expired && book.holds.changedHolds.has(hold) ? hold.keyId : null };
}
