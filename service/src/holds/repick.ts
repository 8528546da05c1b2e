import { must } from "../lib/assert.ts";
import { replace } from "../stock/allocate.ts";
import { inDate, type Lot } from "../stock/lot.ts";
import { type Cause, move, type Origin } from "../stock/move.ts";
import { type Hold, linesOf, neededUntil, type Part } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/** Whoever makes it necessary, units are picked again for a hold: the ledger names the hold, as it does when they are first picked. */
const repickOf = (hold: Hold, origin: Origin): Cause => ({ cause: "repick", causeId: hold.token, origin });

/**
 * Takes up to `units` of a held part away from it, leaving the lot's units to the caller, and picks them again from other lots
 * of the hold's own pools, whatever is promised elsewhere: they were already granted. Returns the units found again.
 */
export function displace(book: BookWithHolds, hold: Hold, part: Part, units: number, origin: Origin): number {
	if (units < part.units) {
		part.units -= units;
		book.holds.changePart(hold, part);
		book.holds.addPart(hold, { ...part, ordinal: hold.parts.length, units, state: "displaced" });
	} else {
		part.state = "displaced";
		book.holds.changePart(hold, part);
	}
	const line = must(linesOf(hold)[part.line], "line of a part");
	const picks = replace(withoutLot(book, part.fgId), {
		formulaId: part.formulaId,
		units,
		pools: line.pools,
		neededUntil: neededUntil(hold.createdAt, hold.expiresAt, book.timeZone),
	});
	const why = repickOf(hold, origin);
	let replaced = 0;
	for (const pick of picks) {
		move(book.stock, pick.lot, "available", "held", pick.units, why);
		book.holds.addPart(hold, {
			ordinal: hold.parts.length,
			line: part.line,
			formulaId: part.formulaId,
			fgId: pick.lot.fgId,
			poolId: pick.poolId,
			units: pick.units,
			state: "held",
		});
		replaced += pick.units;
	}
	book.holds.noteHeld(hold.keyId, replaced - units);
	return replaced;
}

/** Lots of an active hold that passed their date while held are picked again when the hold is next used (settlements, section 5). */
export function repickOutOfDate(book: BookWithHolds, hold: Hold): void {
	const origin = { actor: "system:out-of-date", requestId: null };
	for (const part of outOfDateParts(book, hold)) {
		const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
		move(book.stock, lot, "held", "available", part.units, repickOf(hold, origin));
		displace(book, hold, part, part.units, origin);
	}
}

export const outOfDateParts = (book: BookWithHolds, hold: Hold): Part[] =>
	hold.parts.filter(
		(part) =>
			part.state === "held" && !inDate(must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`), book.today),
	);

const withoutLot = (book: BookWithHolds, fgId: string) => ({
	today: book.today,
	lots: (formulaId: string, poolId: number): readonly Lot[] =>
		book.stock.lots(formulaId, poolId).filter((lot) => lot.fgId !== fgId),
	promised: (formulaId: string, poolId: number) => book.stock.promised(formulaId, poolId),
});
