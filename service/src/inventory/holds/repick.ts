import { must } from "../../ground/lib/assert.ts";
import { sum } from "../../ground/lib/sum.ts";
import { type LotPick, replaceAll } from "../stock/allocate.ts";
import type { StockView } from "../stock/count.ts";
import { inDate, isGood, type Lot, type Pickable } from "../stock/lot.ts";
import { type Cause, move, type Origin } from "../stock/move.ts";
import { byTurn } from "./bound-parts.ts";
import {
	boundState,
	type Hold,
	type Lacking,
	lackingOf,
	linesOf,
	neededUntil,
	type Part,
	unitsHad,
	unitsIn,
} from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/** The ledger's cause of a repick is the hold, as for the first pick, whatever made the repick necessary. */
const repickOf = (hold: Hold, origin: Origin): Cause => ({ cause: "repick", causeId: hold.reservationToken, origin });

/** Units by line and formula, under `placeOf`. */
type UnitsOf = Map<string, number>;

/** A line may have pools of its own, so what it loses is replaced for it and for no other line. */
const placeOf = ({ line, formulaId }: Pick<Part, "line" | "formulaId">): string => `${line}/${formulaId}`;

/** Units that a command took from holds and orders, by hold, line and formula. */
export class Losses {
	readonly #units = new Map<Hold, UnitsOf>();
	units = 0;

	/** Takes up to `units` of a bound part from its hold; the caller moves the lot's units. */
	take(book: BookWithHolds, hold: Hold, part: Part, units: number): void {
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
		const taken: UnitsOf = this.#units.get(hold) ?? new Map();
		const place = placeOf(part);
		this.#units.set(hold, taken.set(place, (taken.get(place) ?? 0) + units));
		this.units += units;
	}

	/**
	 * Picks replacements from other lots of each hold's own pools, ignoring promises because the units were already
	 * granted. First, in the order of `byTurn`, each hold or order that was whole before is made whole again if
	 * possible. Then, in the same order, the others get replacements for the units taken now, not for earlier losses:
	 * an order for all of them or none, a hold for as many as there are (docs/decisions/0059). Notes those that are
	 * left with less. `take` must not be called afterwards. Returns the units replaced.
	 */
	replace(book: BookWithHolds, origin: Origin): number {
		let replaced = 0;
		const others: [Hold, taken: UnitsOf][] = [];
		for (const [hold, taken] of [...this.#units].sort(([a], [b]) => byTurn(a, b))) {
			const lacking = lackingOf(hold);
			const units = sum([...taken.values()]);
			const wasWhole = sum(lacking.map((one) => one.units)) === units;
			if (wasWhole && pickAll(book, hold, lacking, origin)) replaced += units;
			else others.push([hold, taken]);
		}
		for (const [hold, taken] of others) {
			const units = sum([...taken.values()]);
			const picked = pickTaken(book, hold, taken, origin);
			if (picked < units) book.holds.lessened.add(hold);
			replaced += picked;
		}
		return replaced;
	}
}

/** Possible picks for the missing units of a hold or an order, entry by entry. */
function picksFor<L extends Pickable>(
	view: StockView<L>,
	hold: Hold,
	lacking: readonly Lacking[],
	until: string | undefined,
): LotPick<L>[][] {
	const wants = lacking.map(({ line, formulaId, units }) => {
		const { pools } = must(linesOf(hold)[line], "line of a part");
		return { formulaId, units, pools, neededUntil: until };
	});
	return replaceAll(view, wants);
}

/** Whether the picks cover everything missing. */
const areAll = (lacking: readonly Lacking[], picks: readonly (readonly LotPick<Pickable>[])[]): boolean =>
	lacking.every(({ units }, index) => sum((picks[index] ?? []).map((pick) => pick.units)) === units);

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

/** Gives at most `most` quarantined units back to a hold or an order that lost units of this lot; returns how many. */
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

/** All units that a line of a hold ever lost from a lot. */
const lostTo = ({ parts }: Hold, line: number, { fgId }: Lot): number =>
	unitsIn(
		"displaced",
		parts.filter((part) => part.line === line && part.fgId === fgId),
	);

/** The day until which lots must be in date; none for an order, which is picked and shipped as soon as possible. */
const untilOf = (book: BookWithHolds, hold: Hold): string | undefined =>
	hold.status === "active" ? neededUntil(hold.createdAt, hold.expiresAt, book.timeZone) : undefined;

/** Picks and binds everything missing, or nothing. */
function pickAll(book: BookWithHolds, hold: Hold, lacking: readonly Lacking[], origin: Origin): boolean {
	const picks = picksFor(book.stock, hold, lacking, untilOf(book, hold));
	if (!areAll(lacking, picks)) return false;
	bindAll(book, hold, lacking, picks, origin);
	return true;
}

/** Picks the taken units: all or none for an order, first line first for a hold. Returns how many. */
function pickTaken(book: BookWithHolds, hold: Hold, taken: UnitsOf, origin: Origin): number {
	const wanted = lackingOf(hold).flatMap((one): Lacking[] => {
		const units = Math.min(one.units, taken.get(placeOf(one)) ?? 0);
		return units > 0 ? [{ ...one, units }] : [];
	});
	const picks = picksFor(book.stock, hold, wanted, untilOf(book, hold));
	if (hold.status !== "active" && !areAll(wanted, picks)) return 0;
	return bindAll(book, hold, wanted, picks, origin);
}

function bindAll(
	book: BookWithHolds,
	hold: Hold,
	lacking: readonly Lacking[],
	picks: readonly (readonly LotPick<Lot>[])[],
	origin: Origin,
): number {
	let bound = 0;
	for (const [index, { line }] of lacking.entries()) {
		for (const { lot, units } of picks[index] ?? []) {
			bind(book, hold, line, lot, "available", units, origin);
			bound += units;
		}
	}
	return bound;
}

/**
 * Picks all units that a hold or an order has lost, or none if there are too few. The caller has locked the shelves of
 * its lines. Returns whether it is whole.
 */
export function refill(book: BookWithHolds, hold: Hold, origin: Origin): boolean {
	const lacking = lackingOf(hold);
	if (!pickAll(book, hold, lacking, origin)) return false;
	if (lacking.length > 0) book.holds.repicked.add(hold);
	return true;
}

/** Whether `refill` would succeed for an order, judged on a snapshot. Locks and picks nothing. */
export function couldRefillOrder(view: StockView<Pickable>, hold: Hold): boolean {
	const lacking = lackingOf(hold);
	return areAll(lacking, picksFor(view, hold, lacking, undefined));
}

const OUT_OF_DATE: Origin = { actor: "system:out-of-date", requestId: null };
const RECALLED: Origin = { actor: "system:recall", requestId: null };

/**
 * Picks units of a hold or an order again if their lot has expired since (settlements, section 5), or was recalled and
 * the recall has not reached them yet.
 */
export function repickOutOfDate(book: BookWithHolds, hold: Hold): void {
	const bucket = boundState(hold);
	if (bucket === null) return;
	const losses = new Losses();
	let origin: Origin = OUT_OF_DATE;
	for (const part of outOfDateParts(book, hold)) {
		const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
		if (lot.recalled) origin = RECALLED;
		move(book.stock, lot, bucket, "available", part.units, repickOf(hold, lot.recalled ? RECALLED : OUT_OF_DATE));
		losses.take(book, hold, part, part.units);
	}
	losses.replace(book, origin);
}

export const outOfDateParts = (book: BookWithHolds, hold: Hold): Part[] => {
	const bound = boundState(hold);
	return hold.parts.filter(
		({ state, fgId }) =>
			state === bound && !isGood(must(book.stock.lotsById.get(fgId), `locked lot ${fgId}`), book.today),
	);
};
