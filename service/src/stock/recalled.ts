import type { StockBook } from "./book.ts";
import type { Lot } from "./lot.ts";
import { type Cause, move } from "./move.ts";

/*
 * A recalled lot has no free units: those that it has go into quarantine with the recall, and `stock/move.ts` sends after them what
 * comes back to it later (docs/decisions/0037). So whoever counts or picks need not know of recalls.
 */

/** Recalls a lot, unless that was done before. Returns the free units that went into quarantine. */
export function recallLot(stock: StockBook, lot: Lot, why: Cause): number {
	if (lot.recalled) return 0;
	lot.recalled = true;
	stock.newlyRecalled.add(lot);
	stock.noLongerRecalled.delete(lot);
	const units = lot.available;
	if (units > 0) move(stock, lot, "available", "quarantined", units, why);
	return units;
}

/** The lot is good after all: from here on what comes back to it is free. What is in quarantine stays there. */
export function endRecall(stock: StockBook, lot: Lot): void {
	if (!lot.recalled) return;
	lot.recalled = false;
	stock.noLongerRecalled.add(lot);
	stock.newlyRecalled.delete(lot);
}
