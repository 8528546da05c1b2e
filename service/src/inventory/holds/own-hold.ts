import type { KnownSizes } from "../../ground/engine/known-sizes.ts";
import { refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Hold } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldNeeds } from "./needs.ts";

/** The hold with this token, if the key owns it; otherwise undefined. `keyId` null: any key's, for the operator. */
export function ownHold(book: BookWithHolds, keyId: string | null, token: string): Hold | undefined {
	const hold = book.holds.byToken.get(token);
	return keyId === null || hold?.keyId === keyId ? hold : undefined;
}

/** Requires the holds whose units a command may take or give back, with their lines and their orders. */
export function needHolders({ tokens, linesOf, ordersOf }: HoldNeeds, holders: readonly string[]): void {
	for (const token of holders) {
		tokens.push({ token, keyId: null });
		linesOf.add(token);
		ordersOf.add(token);
	}
}

/** What all kinds of commands that act on a single hold have in common. */
export const ONE_HOLD = {
	looksUp: false,
	needs: ({ tokens }: HoldNeeds, { token, caller }: HoldOfKey) =>
		void tokens.push({ token, keyId: caller?.keyId ?? null }),
	weigh: ({ token }: HoldOfKey, sizes: KnownSizes) => sizes.of(token),
	identities: ({ token }: HoldOfKey) => [token],
} as const;
interface HoldOfKey {
	readonly token: string;
	/** Null: the operator. */
	readonly caller: Caller | null;
}

export const NO_HOLD = refuse("not_found", "There is no hold with this reservation_token.");
