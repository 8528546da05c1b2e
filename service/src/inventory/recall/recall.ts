import { must } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { boundParts } from "../holds/bound-parts.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import type { HoldKind } from "../holds/kind.ts";
import { needHolders } from "../holds/own-hold.ts";
import { Losses } from "../holds/repick.ts";
import type { Lot } from "../stock/lot.ts";
import { type Cause, type Moved, move, type Origin } from "../stock/move.ts";
import { recallLot } from "../stock/recalled.ts";

/** Recalls bad lots: from the first such command on, no unit of them is granted (docs/decisions/0037). */
export interface RecallCommand {
	readonly kind: "recall";
	readonly origin: Origin;
	readonly fgIds: readonly string[];
	/** Null: no reason was given. */
	readonly reason: string | null;
	/** Tokens of holds that lose units now; others keep theirs until they are named or used. */
	readonly holders: readonly string[];
}

/** Units of all lots together that the command moved into quarantine. */
export interface RecallStep extends Omit<Moved, "fgId"> {
	/** Still bound to holds and orders that the command did not name. */
	readonly left: number;
}

type Answer = RecallStep | Refusal<"not_found">;

export const recall: HoldKind<RecallCommand, Answer> = {
	looksUp: true,
	needs(needs, { fgIds, holders }) {
		for (const fgId of fgIds) {
			needs.fgIds.add(fgId);
			if (holders.length > 0) needs.siblingsOf.add(fgId);
		}
		needHolders(needs, holders);
	},
	decide: decideRecall,
};

/**
 * Recalls all lots and takes all units of the holders before any unit is picked again. So no replacement comes from
 * another recalled lot, and the order of `holders` does not matter. A hold or an order loses the units that cannot be
 * replaced (settlements, sections 5, 6 and 12; priority: docs/decisions/0059).
 */
export function decideRecall(
	book: BookWithHolds,
	{ fgIds, reason, origin, holders }: Omit<RecallCommand, "kind">,
): Answer {
	const lots = new Map<string, Lot>();
	for (const fgId of fgIds) {
		const lot = book.stock.lotsById.get(fgId);
		if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
		lots.set(fgId, lot);
	}
	const why: Cause = { cause: "recall", causeId: reason, origin };
	let moved = 0;
	for (const lot of lots.values()) moved += recallLot(book.stock, lot, why);
	const losses = new Losses();
	for (const { hold, part, bucket } of boundParts(book.holds, new Set(lots.keys()), holders)) {
		const { units } = part;
		const lot = must(lots.get(part.fgId), "a recalled lot");
		move(book.stock, lot, bucket, "quarantined", units, { ...why, hold: hold.reservationToken });
		losses.take(book, hold, part, units);
	}
	const replaced = losses.replace(book, origin);
	let left = 0;
	for (const { held, allocated } of lots.values()) left += held + allocated;
	return { moved: moved + losses.units, replaced, lost: losses.units - replaced, left };
}
