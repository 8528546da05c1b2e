import { type Refusal, refuse } from "../lib/refusal.ts";
import type { TakenOut, TakeOut } from "../stock/commands.ts";
import type { Lot } from "../stock/lot.ts";
import { type Cause, move } from "../stock/move.ts";
import type { Hold, Part } from "./hold.ts";
import type { HoldBook } from "./hold-book.ts";
import { displace } from "./repick.ts";

/**
 * Quarantine or destroy units of a lot. Destroy takes quarantined units first; then both take free ones, then those of the holds
 * that are named, from the youngest on, which are picked again from other lots where there are any (decisions.md, sections 5 and 11).
 */
export function decideTakeOut(book: HoldBook, command: TakeOut): TakenOut | Refusal<"not_found" | "invalid_input"> {
	const { fgId, kind, origin, reason } = command;
	const lot = book.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	const target = kind === "quarantine" ? "quarantined" : "destroyed";
	const present = lot.available + lot.held + (kind === "destroy" ? lot.quarantined : 0);
	const wanted = command.units === "all" ? present : command.units;
	if (wanted > present) {
		return refuse("invalid_input", `Lot ${fgId} has ${present} units that could be taken out, not ${wanted}.`);
	}
	const why: Cause = { cause: kind, causeId: reason, origin };
	let left = wanted;
	for (const bucket of kind === "destroy" ? (["quarantined", "available"] as const) : (["available"] as const)) {
		const units = Math.min(left, lot[bucket]);
		if (units > 0) move(book, lot, bucket, target, units, why);
		left -= units;
	}
	let taken = 0;
	let replaced = 0;
	for (const [hold, part] of heldOn(book, lot, command.holders)) {
		const units = Math.min(left - taken, part.units);
		if (units === 0) break;
		move(book, lot, "held", target, units, why);
		replaced += displace(book, hold, part, units, origin);
		taken += units;
	}
	left -= taken;
	return { fgId, moved: wanted - left, replaced, lost: taken - replaced, left };
}

/** Parts on a lot that these holds hold, those of the youngest hold first, and its last line first: who came first keeps first. */
function heldOn(book: HoldBook, lot: Lot, holders: readonly string[]): [Hold, Part][] {
	const held: [Hold, Part][] = [];
	for (const token of new Set(holders)) {
		const hold = book.holds.get(token);
		for (const part of hold?.parts ?? []) {
			if (hold && part.fgId === lot.fgId && part.state === "held") held.push([hold, part]);
		}
	}
	return held.sort(([a, partA], [b, partB]) => {
		if (a === b) return partB.ordinal - partA.ordinal;
		return b.createdAt - a.createdAt || (a.token < b.token ? 1 : -1);
	});
}
