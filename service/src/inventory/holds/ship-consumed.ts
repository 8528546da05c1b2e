import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { moveParts } from "./end-hold.ts";
import { unitsIn } from "./hold.ts";
import { type BookWithHolds, refKey } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";

/** Records that units consumed under a reference have shipped, as reported by the operator or the label platform. */
export interface ShipConsumedCommand {
	readonly kind: "shipConsumed";
	readonly origin: Origin;
	readonly keyId: string;
	/** The reference of the consume. */
	readonly externalRef: string;
}

export interface ConsumedShipped {
	readonly token: string;
	/** Total units shipped under the reference. */
	readonly shippedUnits: number;
	/** Whether they had been recorded as shipped before the command. */
	readonly idempotent: boolean;
}

type Answer = ConsumedShipped | Refusal<"not_found" | "wrong_state">;

export const shipConsumed: HoldKind<ShipConsumedCommand, Answer> = {
	looksUp: false,
	needs: ({ consumeRefs }, { keyId, externalRef }) => void consumeRefs.push({ keyId, ref: externalRef }),
	decide: decideShipConsumed,
	weigh: ({ keyId, externalRef }, sizes) => sizes.of(refKey(keyId, externalRef)),
	identities: ({ keyId, externalRef }) => [refKey(keyId, externalRef)],
};

/** Moves units left in `consumed` to `shipped`; a later reverse finds none (settlements, section 5). */
function decideShipConsumed(book: BookWithHolds, { keyId, externalRef, origin }: ShipConsumedCommand): Answer {
	const hold = book.holds.consumedByRef.get(refKey(keyId, externalRef));
	if (!hold) {
		return refuse(
			"not_found",
			"This key has consumed nothing under this external_ref: give the reference of the consume, not of the reserve.",
		);
	}
	const { reservationToken: token } = hold;
	const why = { cause: "ship", causeId: token, origin };
	const before = unitsIn("shipped", hold.parts);
	const shipped = moveParts(book, hold, "consumed", "shipped", why);
	if (shipped > 0) {
		book.holds.changeHold(hold); // its parts now have their own states
		return { token, shippedUnits: before + shipped, idempotent: false };
	}
	if (before === 0)
		return refuse(
			"wrong_state",
			"What was consumed under this external_ref has been given back: there is nothing to ship.",
		);
	return { token, shippedUnits: before, idempotent: true };
}
