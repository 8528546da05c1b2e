import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Origin } from "../stock/move.ts";
import { moveParts } from "./end-hold.ts";
import { type BookWithHolds, refKey } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";

export interface ReverseCommand {
	readonly kind: "reverse";
	readonly origin: Origin;
	readonly caller: Caller;
	/** The reference of the consume. */
	readonly externalRef: string;
}

export interface Returned {
	readonly returnedUnits: number;
	readonly idempotent: boolean;
}

export const REVERSE_MESSAGES = {
	not_found: "There is no consume under this external_ref.",
	not_reversible: "The hold under this external_ref became an order: cancel that order instead.",
	not_consumed:
		"Nothing was consumed under this external_ref: a reverse takes the reference of the consume, not of the reserve.",
} as const;
type ReverseRefusal = Refusal<keyof typeof REVERSE_MESSAGES>;

export const reverse: HoldKind<ReverseCommand, Returned | ReverseRefusal> = {
	looksUp: false,
	needs({ consumeRefs, reservedRefs }, { caller, externalRef }) {
		const keyRef = { keyId: caller.keyId, ref: externalRef };
		consumeRefs.push(keyRef);
		reservedRefs.push(keyRef);
	},
	decide: decideReverse,
	weigh: ({ caller, externalRef }, sizes) => sizes.of(refKey(caller.keyId, externalRef)),
	identities: ({ caller, externalRef }) => [refKey(caller.keyId, externalRef)],
};

/** Returns the units still in `consumed` under the reference to their lots. */
function decideReverse(
	book: BookWithHolds,
	{ caller, externalRef, origin }: ReverseCommand,
): Returned | ReverseRefusal {
	const key = refKey(caller.keyId, externalRef);
	const hold = book.holds.consumedByRef.get(key);
	if (!hold) return refuseReverse(book, key);
	if (hold.returnedUnits !== null) return { returnedUnits: hold.returnedUnits, idempotent: true };
	const why = { cause: "reverse", causeId: hold.reservationToken, origin };
	hold.returnedUnits = moveParts(book, hold, "consumed", "returned", why);
	if (hold.returnedUnits === hold.consumedUnits) hold.status = "reversed";
	book.holds.changeHold(hold);
	return { returnedUnits: hold.returnedUnits, idempotent: false };
}

function refuseReverse(book: BookWithHolds, key: string): ReverseRefusal {
	switch (book.holds.usedRefs.get(key)) {
		case "placed":
			return refuse("not_reversible", REVERSE_MESSAGES.not_reversible);
		case "reserved":
			return refuse("not_consumed", REVERSE_MESSAGES.not_consumed);
		default:
			return refuse("not_found", REVERSE_MESSAGES.not_found);
	}
}
