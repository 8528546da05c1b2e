import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { byTurn } from "../holds/bound-parts.ts";
import type { Hold } from "../holds/hold.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import { needHolders } from "../holds/own-hold.ts";
import { giveBack } from "../holds/repick.ts";
import type { OrderKind } from "../orders/kind.ts";
import { isOpen } from "../orders/order.ts";
import type { BookWithOrders } from "../orders/order-book.ts";
import { type Moved, move } from "../stock/move.ts";
import { endRecall } from "../stock/recalled.ts";
import type { TakeOutCommand } from "./quarantine.ts";

/** Restores good units, first to holds and orders that lost and still lack them (settlements, section 12). */
export interface RestoreCommand extends Pick<TakeOutCommand, "origin" | "fgId" | "units" | "reason"> {
	readonly kind: "restore";
	/** Reservation tokens of the holds that may get units back from this command. */
	readonly holders: readonly string[];
	/** Units that these holders do not lack become free, or wait in quarantine for the next command's holders. */
	readonly rest: "free" | "waits";
	/** Refuse if the lot is recalled, because nobody confirmed that this ends its recall (docs/decisions/0104). */
	readonly unlessRecalled?: boolean;
}

export interface Restored extends Moved {
	/** Of the units moved: given back to holds and orders. */
	readonly givenBack: number;
	/** The lot was recalled until then. */
	readonly recallEnded: boolean;
	/** Units of the request that wait for the next command. */
	readonly left: number;
}

/** A book with the orders of its holds, to the extent that a restore reads it. */
export type BookWithWaiting = BookWithHolds & Pick<BookWithOrders, "orders">;

type Answer = Restored | Refusal<"not_found" | "invalid_input">;

export const restore: OrderKind<RestoreCommand, Answer> = {
	looksUp: true,
	needs(needs, { fgId, holders }) {
		needs.fgIds.add(fgId);
		needHolders(needs, holders);
	},
	decide: decideRestore,
};

/** Gives units back by `byTurn`. Orders that are whole again are released by `propagate` in `orders/rows.ts`. */
export function decideRestore(
	book: BookWithWaiting,
	{ fgId, units, reason, origin, holders, rest, unlessRecalled }: Omit<RestoreCommand, "kind">,
): Answer {
	const lot = book.stock.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	const wanted = units === "all" ? lot.quarantined : units;
	if (wanted > lot.quarantined) {
		return refuse(
			"invalid_input",
			`The lot of batch ${lot.batchNumber} has ${lot.quarantined} units in quarantine, not ${wanted}.`,
		);
	}
	if (lot.recalled && wanted < lot.quarantined) {
		return refuse(
			"invalid_input",
			`The lot of batch ${lot.batchNumber} is recalled and can only be restored as a whole, which ends the recall: destroy bad units first, then restore all others.`,
		);
	}
	if (lot.recalled && unlessRecalled === true) {
		return refuse(
			"invalid_input",
			`Restoring the units of this lot ends the recall of batch ${lot.batchNumber} for it, and they can be sold again: confirm that by \`ends_recall\`.`,
		);
	}
	const recallEnded = lot.recalled;
	endRecall(book.stock, lot);
	let givenBack = 0;
	for (const hold of holdersThatWait(book, holders)) givenBack += giveBack(book, hold, lot, wanted - givenBack, origin);
	const left = wanted - givenBack;
	if (rest === "waits") return { fgId, moved: givenBack, replaced: 0, lost: 0, givenBack, recallEnded, left };
	if (left > 0) move(book.stock, lot, "quarantined", "available", left, { cause: "restore", causeId: reason, origin });
	return { fgId, moved: wanted, replaced: 0, lost: 0, givenBack, recallEnded, left: 0 };
}

/** Active holds and open orders among these, in the order of `byTurn`. A cancelled order gets nothing. */
function holdersThatWait({ holds, orders }: BookWithWaiting, holders: readonly string[]): Hold[] {
	const found: Hold[] = [];
	for (const token of new Set(holders)) {
		const hold = holds.byToken.get(token);
		const order = orders.byToken.get(token);
		if (hold?.status === "active" || (hold?.status === "placed" && order && isOpen(order.status))) found.push(hold);
	}
	return found.sort(byTurn);
}
