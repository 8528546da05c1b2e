import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { boundParts } from "../holds/bound-parts.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import type { HoldKind } from "../holds/kind.ts";
import { needHolders } from "../holds/own-hold.ts";
import { Losses } from "../holds/repick.ts";
import { type Cause, type Moved, move, type Origin } from "../stock/move.ts";

/** Takes units out of sale: free ones, then held ones, which are picked again (settlements, section 5). */
export interface TakeOutCommand {
	readonly kind: "quarantine" | "destroy";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number | "all";
	/** Null: no reason was given. */
	readonly reason: string | null;
	/** Reservation tokens of holds whose units may be taken if the free ones are too few; other holds keep theirs. */
	readonly holders: readonly string[];
}

export interface TakenOut extends Moved {
	/** Units of the request that were not taken, because holds that the command did not name have them. */
	readonly left: number;
}

type Answer = TakenOut | Refusal<"not_found" | "invalid_input">;

const takeOut: HoldKind<TakeOutCommand, Answer> = {
	looksUp: true,
	needs(needs, { fgId, holders }) {
		needs.fgIds.add(fgId);
		if (holders.length > 0) needs.siblingsOf.add(fgId);
		needHolders(needs, holders);
	},
	decide: decideTakeOut,
};
export const quarantine = takeOut;
export const destroy = takeOut;

/**
 * Quarantines or destroys units of a lot. Destroy takes quarantined units first; both then take free units, then those
 * of the named holds and their orders, youngest first. Afterwards the taken units are picked again from other lots
 * (settlements, sections 5 and 11), in the order of docs/decisions/0059.
 */
export function decideTakeOut(book: BookWithHolds, command: TakeOutCommand): Answer {
	const { fgId, kind, origin, reason } = command;
	const lot = book.stock.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	const target = kind === "quarantine" ? "quarantined" : "destroyed";
	const present = lot.available + lot.held + lot.allocated + (kind === "destroy" ? lot.quarantined : 0);
	const wanted = command.units === "all" ? present : command.units;
	if (wanted > present) {
		return refuse(
			"invalid_input",
			`The lot of batch ${lot.batchNumber} has ${present} units that could be taken out, not ${wanted}.`,
		);
	}
	const why: Cause = { cause: kind, causeId: reason, origin };
	let left = wanted;
	for (const bucket of kind === "destroy" ? (["quarantined", "available"] as const) : (["available"] as const)) {
		const units = Math.min(left, lot[bucket]);
		if (units > 0) move(book.stock, lot, bucket, target, units, why);
		left -= units;
	}
	const losses = new Losses();
	for (const { hold, part, bucket } of boundParts(book.holds, new Set([fgId]), command.holders)) {
		const units = Math.min(left - losses.units, part.units);
		if (units === 0) break;
		move(book.stock, lot, bucket, target, units, { ...why, hold: hold.reservationToken });
		losses.take(book, hold, part, units);
	}
	const replaced = losses.replace(book, origin);
	left -= losses.units;
	return { fgId, moved: wanted - left, replaced, lost: losses.units - replaced, left };
}
