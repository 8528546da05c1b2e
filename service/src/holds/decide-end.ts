import { assert } from "../lib/assert.ts";
import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Consume, Consumed, Expire, Release, Returned, ReverseConsume } from "./commands.ts";
import { expireIfDue, freeHold, moveParts } from "./end-hold.ts";
import { type Hold, isImpaired } from "./hold.ts";
import { type HoldBook, refKey } from "./hold-book.ts";
import { repickOutOfDate } from "./repick.ts";

/*
 * The table "Token x operation" of decisions.md, section 5. Holds past their end are already expired when a book is opened, so
 * the status read here is the status now.
 */

export function decideRelease(
	book: HoldBook,
	{ caller, token, origin }: Release,
): { ok: true } | Refusal<"not_found" | "gone"> {
	const hold = ownHold(book, caller.keyId, token);
	if (!hold) return noHold();
	switch (hold.status) {
		case "active":
			freeHold(book, hold, "released", { cause: "release", causeId: token, origin });
			return { ok: true };
		case "released":
			return { ok: true };
		case "expired":
			return refuse("gone", "This hold expired and its units are free again: there is nothing to release.");
		default:
			return refuse("gone", `This hold is ${hold.status}: there is nothing to release.`);
	}
}

export function decideConsume(
	book: HoldBook,
	{ caller, token, externalRef, origin }: Consume,
): Consumed | Refusal<"not_found" | "wrong_state" | "invalid_input"> {
	const hold = ownHold(book, caller.keyId, token);
	if (!hold) return noHold();
	if (hold.status === "consumed" && hold.consumeRef === externalRef) {
		return { consumedUnits: hold.consumedUnits ?? 0, idempotent: true };
	}
	if (hold.status !== "active") {
		return refuse("wrong_state", `This hold is ${hold.status} and cannot be consumed${nextStep(hold)}.`);
	}
	repickOutOfDate(book, hold);
	if (isImpaired(hold)) {
		return refuse(
			"wrong_state",
			"This hold lost units to a recall or an expiry date and they could not be replaced: release it and reserve again.",
		);
	}
	const other = book.consumedByRef.get(refKey(caller.keyId, externalRef));
	if (other) {
		return refuse(
			"invalid_input",
			"/external_ref: already used by this key to consume another hold. Give each consume a reference of its own.",
		);
	}
	const why = { cause: "consume", causeId: token, origin };
	hold.consumedUnits = moveParts(
		book,
		hold,
		{ state: "held", bucket: "held" },
		{ state: "consumed", bucket: "consumed" },
		why,
	);
	assert(hold.consumedUnits > 0, `hold ${token} consumed without a unit`);
	hold.status = "consumed";
	hold.consumeRef = externalRef;
	book.consumedByRef.set(refKey(caller.keyId, externalRef), hold);
	book.changeHold(hold);
	return { consumedUnits: hold.consumedUnits, idempotent: false };
}

/** Gives back what is still in `consumed` under the reference, to the lots it came from. */
export function decideReverse(
	book: HoldBook,
	{ caller, externalRef, origin }: ReverseConsume,
): Returned | Refusal<"not_found" | "not_consumed" | "not_reversible"> {
	const key = refKey(caller.keyId, externalRef);
	const hold = book.consumedByRef.get(key);
	if (!hold) return refuseReverse(book, key);
	if (hold.returnedUnits !== null) return { returnedUnits: hold.returnedUnits, idempotent: true };
	const why = { cause: "reverse", causeId: hold.token, origin };
	hold.returnedUnits = moveParts(
		book,
		hold,
		{ state: "consumed", bucket: "consumed" },
		{ state: "returned", bucket: "available" },
		why,
	);
	if (hold.returnedUnits === hold.consumedUnits) hold.status = "reversed";
	book.changeHold(hold);
	return { returnedUnits: hold.returnedUnits, idempotent: false };
}

function refuseReverse(book: HoldBook, key: string): Refusal<"not_found" | "not_consumed" | "not_reversible"> {
	switch (book.reservedRefs.get(key)) {
		case "placed":
			return refuse("not_reversible", "The hold under this external_ref became an order: cancel that order instead.");
		case "reserved":
			return refuse(
				"not_consumed",
				"Nothing was consumed under this external_ref: a reverse takes the reference of the consume, not of the reserve.",
			);
		default:
			return refuse("not_found", "There is no consume under this external_ref.");
	}
}

/** The sweep: the hold is expired when the book is opened, so there is nothing left to decide. */
export function decideExpire(book: HoldBook, { token }: Expire): { expired: boolean } {
	const hold = book.holds.get(token);
	if (hold) expireIfDue(book, hold);
	return { expired: hold?.status === "expired" };
}

function ownHold(book: HoldBook, keyId: string, token: string): Hold | undefined {
	const hold = book.holds.get(token);
	return hold?.keyId === keyId ? hold : undefined; // another key's hold does not exist
}

const noHold = () => refuse("not_found", "There is no hold with this reservation_token.");

const nextStep = ({ status }: Hold): string =>
	status === "expired" || status === "released" ? ": reserve again" : " under this external_ref";
