import { must } from "../lib/assert.ts";
import { replace, replaceAll } from "../stock/allocate.ts";
import { inDate, isGood, type Lot } from "../stock/lot.ts";
import { type Cause, move, type Origin } from "../stock/move.ts";
import { boundState, type Hold, linesOf, neededUntil, type Part, unitsHad } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/** Whoever makes it necessary, units are picked again for a hold: the ledger names the hold, as it does when they are first picked. */
const repickOf = (hold: Hold, origin: Origin): Cause => ({ cause: "repick", causeId: hold.token, origin });

/**
 * Takes up to `units` of a bound part away from its hold, leaving the lot's units to the caller, and picks them again from other lots
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
	book.holds.repicked.add(hold);
	if (hold.status === "active") book.holds.noteHeld(hold.keyId, -units);
	return pickAgain(book, hold, { ...part, units }, withoutLot(book, part.fgId), origin);
}

/** Units of one formula that a line of a hold lacks. */
type Lacking = Pick<Part, "line" | "formulaId" | "units">;

/** Picks what a hold lacks, as far as there is any, and binds it. Returns the units found. */
function pickAgain(
	book: BookWithHolds,
	hold: Hold,
	{ line, formulaId, units }: Lacking,
	view: Parameters<typeof replace<Lot>>[0],
	origin: Origin,
): number {
	const { pools } = must(linesOf(hold)[line], "line of a part");
	const picks = replace(view, { formulaId, units, pools, neededUntil: untilOf(book, hold) });
	let found = 0;
	for (const pick of picks) {
		bind(book, hold, line, pick.lot, "available", pick.units, origin);
		found += pick.units;
	}
	return found;
}

/** Binds units of a lot to a hold or an order that lacks them. */
function bind(
	book: BookWithHolds,
	hold: Hold,
	line: number,
	lot: Lot,
	from: "available" | "quarantined",
	units: number,
	origin: Origin,
): void {
	const { fgId, formulaId, poolId } = lot;
	const state = must(boundState(hold), "the bucket of a hold that has units");
	move(book.stock, lot, from, state, units, repickOf(hold, origin));
	book.holds.addPart(hold, { ordinal: hold.parts.length, line, formulaId, fgId, poolId, units, state });
	if (hold.status === "active") book.holds.noteHeld(hold.keyId, units);
}

/**
 * Gives a hold or an order that lost units to a lot, and still lacks them, as many of those back as are in quarantine there, at most
 * `most`. Returns the units given.
 */
export function giveBack(book: BookWithHolds, hold: Hold, lot: Lot, most: number, origin: Origin): number {
	if (!inDate(lot, book.today, untilOf(book, hold))) return 0;
	let given = 0;
	for (const [line, { qty, components }] of linesOf(hold).entries()) {
		const component = components.find(({ formula_id }) => formula_id === lot.formulaId);
		if (!component) continue;
		const lacking = component.per_kit * qty - unitsHad(hold, line, lot.formulaId);
		const units = Math.min(lacking, lostTo(hold, line, lot), most - given);
		if (units <= 0) continue;
		bind(book, hold, line, lot, "quarantined", units, origin);
		given += units;
	}
	if (given > 0) book.holds.repicked.add(hold);
	return given;
}

/** Units that a line of a hold ever lost to a lot. */
function lostTo(hold: Hold, line: number, { fgId }: Lot): number {
	let units = 0;
	for (const part of hold.parts)
		if (part.line === line && part.fgId === fgId && part.state === "displaced") units += part.units;
	return units;
}

/** Lots of an order need not last longer: they are picked and shipped as soon as may be. */
const untilOf = (book: BookWithHolds, hold: Hold): string | undefined =>
	hold.status === "active" ? neededUntil(hold.createdAt, hold.expiresAt, book.timeZone) : undefined;

/**
 * Picks all that a hold or an order has lost, or nothing when there is not enough. The caller has locked the shelves of its lines.
 * True: it is whole.
 */
export function refill(book: BookWithHolds, hold: Hold, origin: Origin): boolean {
	const lacking: Lacking[] = [];
	for (const [line, { qty, components }] of linesOf(hold).entries()) {
		for (const { formula_id: formulaId, per_kit } of components) {
			const units = per_kit * qty - unitsHad(hold, line, formulaId);
			if (units > 0) lacking.push({ line, formulaId, units });
		}
	}
	const until = untilOf(book, hold);
	const wants = lacking.map(({ line, formulaId, units }) => {
		const { pools } = must(linesOf(hold)[line], "line of a part");
		return { formulaId, units, pools, neededUntil: until };
	});
	const found = replaceAll(book.stock, wants).map((picks) => picks.reduce((units, pick) => units + pick.units, 0));
	if (lacking.some(({ units }, index) => found[index] !== units)) return false;
	for (const lost of lacking) pickAgain(book, hold, lost, book.stock, origin);
	if (lacking.length > 0) book.holds.repicked.add(hold);
	return true;
}

/**
 * Units of a hold or an order whose lot passed its date meanwhile are picked again when it is next used (settlements, section 5); so are
 * those of a recalled lot, should the recall not have come to them yet.
 */
export function repickOutOfDate(book: BookWithHolds, hold: Hold): void {
	const bucket = boundState(hold);
	if (bucket === null) return;
	// its first line first, whatever became of its parts since
	for (const part of outOfDateParts(book, hold).sort((a, b) => a.line - b.line)) {
		const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
		const origin = { actor: lot.recalled ? "system:recall" : "system:out-of-date", requestId: null };
		move(book.stock, lot, bucket, "available", part.units, repickOf(hold, origin));
		displace(book, hold, part, part.units, origin);
	}
}

export const outOfDateParts = (book: BookWithHolds, hold: Hold): Part[] => {
	const bound = boundState(hold);
	return hold.parts.filter(
		({ state, fgId }) =>
			state === bound && !isGood(must(book.stock.lotsById.get(fgId), `locked lot ${fgId}`), book.today),
	);
};

const withoutLot = (book: BookWithHolds, fgId: string) => ({
	today: book.today,
	lots: (formulaId: string, poolId: number): readonly Lot[] =>
		book.stock.lots(formulaId, poolId).filter((lot) => lot.fgId !== fgId),
	promised: (formulaId: string, poolId: number) => book.stock.promised(formulaId, poolId),
});
