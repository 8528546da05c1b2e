import type { Bucket } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { type Cause, move } from "../stock/move.ts";
import { type Hold, type HoldStatus, type Part, type PartState, statusAt } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/** States of parts whose units a hold moves itself, each with the bucket in which the units of its parts are. */
const BUCKET_OF = {
	held: "held",
	allocated: "allocated",
	consumed: "consumed",
	shipped: "shipped",
	freed: "available",
	returned: "available",
} as const satisfies { readonly [state in PartState]?: Bucket };
type MovedState = keyof typeof BUCKET_OF;

/** Moves a hold's parts in state `from`, with their units, to `to`; returns the units. The caller changes the hold. */
export function moveParts(book: BookWithHolds, hold: Hold, from: MovedState, to: MovedState, why: Cause): number {
	const counted = hold.status === "active" && hold.expiresAt > book.now; // part of its key's total of held units
	let units = 0;
	for (const part of hold.parts) {
		if (part.state !== from) continue;
		const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
		move(book.stock, lot, BUCKET_OF[from], BUCKET_OF[to], part.units, why);
		part.state = to;
		units += part.units;
	}
	if (from === "held" && counted) book.holds.noteHeld(hold.keyId, -units);
	return units;
}

export function freeHold(book: BookWithHolds, hold: Hold, status: HoldStatus, why: Cause): void {
	moveParts(book, hold, "held", "freed", why);
	hold.status = status;
	book.holds.changeHold(hold);
}

const expiry = (token: string): Cause => ({
	cause: "expire",
	causeId: token,
	origin: { actor: "system:expiry", requestId: null },
});

/** Ends the hold if it is past its end but not yet recorded as expired. Returns whether this call ended it. */
export function expireIfDue(book: BookWithHolds, hold: Hold): boolean {
	if (hold.status !== "active" || statusAt(hold, book.now) !== "expired") return false;
	freeHold(book, hold, "expired", expiry(hold.reservationToken));
	return true;
}

/**
 * Frees one held part of a lapsed hold that the batch does not name, so that its units are free immediately. The lock
 * of the part's lot is sufficient: parts change only under it, and a hold that has ended cannot be revived. The sweep
 * ends the hold itself.
 */
export function freeLapsedPart(book: BookWithHolds, token: string, part: Part): void {
	const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
	move(book.stock, lot, "held", "available", part.units, expiry(token));
	part.state = "freed";
	// pass the status still stored in the hold's row, so that `freed` is written as the part's own state
	book.holds.changePart({ reservationToken: token, status: "active" }, part);
}
