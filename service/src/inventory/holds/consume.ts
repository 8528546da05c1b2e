import { assert } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Origin } from "../stock/move.ts";
import { moveParts } from "./end-hold.ts";
import { type Hold, isImpaired } from "./hold.ts";
import { type BookWithHolds, refKey } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";
import { NO_HOLD, ownHold } from "./own-hold.ts";
import { repickOutOfDate } from "./repick.ts";

export interface ConsumeCommand {
	readonly kind: "consume";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly token: string;
	readonly externalRef: string;
}

export interface Consumed {
	readonly consumedUnits: number;
	readonly idempotent: boolean;
}

type Answer = Consumed | Refusal<"not_found" | "wrong_state" | "invalid_input">;

export const consume: HoldKind<ConsumeCommand, Answer> = {
	looksUp: false,
	needs({ tokens, consumeRefs }, { token, caller, externalRef }) {
		tokens.push({ token, keyId: caller.keyId });
		consumeRefs.push({ keyId: caller.keyId, ref: externalRef });
	},
	decide: decideConsume,
	weigh: ({ token }, sizes) => sizes.of(token),
	// a later reverse names the consume by its reference only, so its size is recorded under that
	note({ caller, token, externalRef }, answer, sizes) {
		if ("consumedUnits" in answer) sizes.note(refKey(caller.keyId, externalRef), sizes.of(token));
	},
	identities: ({ caller, token, externalRef }) => [token, refKey(caller.keyId, externalRef)],
};

/** Row "consume" of the table "Token x operation" in settlements, section 5. */
function decideConsume(book: BookWithHolds, { caller, token, externalRef, origin }: ConsumeCommand): Answer {
	const hold = ownHold(book, caller.keyId, token);
	if (!hold) return NO_HOLD;
	if (hold.status === "consumed" && hold.consumeRef === externalRef) {
		return { consumedUnits: hold.consumedUnits ?? 0, idempotent: true };
	}
	if (hold.status !== "active") {
		return refuse("wrong_state", whyOver(hold));
	}
	repickOutOfDate(book, hold);
	if (isImpaired(hold)) {
		return refuse(
			"wrong_state",
			"This hold lost units to a recall or an expiry date and they could not be replaced: release it and reserve again.",
		);
	}
	const other = book.holds.consumedByRef.get(refKey(caller.keyId, externalRef));
	if (other) {
		return refuse(
			"invalid_input",
			"/external_ref: already used by this key to consume another hold. Give each consume a different reference.",
		);
	}
	const why = { cause: "consume", causeId: token, origin };
	hold.consumedUnits = moveParts(book, hold, "held", "consumed", why);
	assert(hold.consumedUnits > 0, `hold ${token} consumed without a unit`);
	hold.status = "consumed";
	hold.consumeRef = externalRef;
	book.holds.consumedByRef.set(refKey(caller.keyId, externalRef), hold);
	book.holds.changeHold(hold);
	return { consumedUnits: hold.consumedUnits, idempotent: false };
}

function whyOver({ status }: Hold): string {
	if (status === "consumed") {
		return "This hold was consumed under another external_ref: its units were taken once, and cannot be taken again.";
	}
	if (status === "placed")
		return "This hold became an order, which the manufacturer ships: there is nothing to consume.";
	if (status === "reversed") return "This hold was consumed and reversed, so its units were given back: reserve again.";
	return `This hold is ${status} and cannot be consumed: reserve again.`;
}
