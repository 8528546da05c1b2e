import type { Bucket } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { type Cause, move } from "../stock/move.ts";
import { type Hold, type HoldStatus, type Part, type PartState, statusAt } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/**
 * Moves every part of a hold in one state to another, and its units with it; the caller changes the hold. Returns the
 * units moved.
 */
export function moveParts(
	book: BookWithHolds,
	hold: Hold,
	from: { state: PartState; bucket: Bucket },
	to: { state: PartState; bucket: Bucket },
	why: Cause,
): number {
	const counted = hold.status === "active" && hold.expiresAt > book.now; // among what its key holds, as the database sums it
	let units = 0;
	for (const part of hold.parts) {
		if (part.state !== from.state) continue;
		const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
		move(book.stock, lot, from.bucket, to.bucket, part.units, why);
		part.state = to.state;
		units += part.units;
	}
	if (from.state === "held" && counted) book.holds.noteHeld(hold.keyId, -units);
	return units;
}

/** Ends an active hold and frees what it held. */
export function freeHold(book: BookWithHolds, hold: Hold, status: HoldStatus, why: Cause): void {
	moveParts(book, hold, { state: "held", bucket: "held" }, { state: "freed", bucket: "available" }, why);
	hold.status = status;
	book.holds.changeHold(hold);
}

const expiry = (token: string): Cause => ({
	cause: "expire",
	causeId: token,
	origin: { actor: "system:expiry", requestId: null },
});

/** Ends the hold if its time is over and its row does not say so yet. True when this ended it. */
export function expireIfDue(book: BookWithHolds, hold: Hold): boolean {
	if (hold.status !== "active" || statusAt(hold, book.now) !== "expired") return false;
	freeHold(book, hold, "expired", expiry(hold.reservationToken));
	return true;
}

/**
 * Frees one held part of a hold past its end that the batch did not name, so that its units count at once. Only its lot
 * is locked, which is enough: parts change under the lock of their lot alone, and the hold's end cannot be undone. The
 * sweep ends the hold itself.
 */
export function freeLapsedPart(book: BookWithHolds, token: string, part: Part): void {
	const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
	move(book.stock, lot, "held", "available", part.units, expiry(token));
	part.state = "freed";
	// as the hold's row still says, so that `freed` becomes its own state
	book.holds.changePart({ reservationToken: token, status: "active" }, part);
}
