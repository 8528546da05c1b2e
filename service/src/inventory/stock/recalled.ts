import type { StockBook } from "./book.ts";
import type { Lot } from "./lot.ts";
import { type Cause, move } from "./move.ts";

/*
 * A recalled lot has no free units: those that it has go into quarantine with the recall, and `stock/move.ts` sends
 * after them what comes back to it later (docs/decisions/0037). So whoever counts or picks need not know of recalls.
 */

/** Recalled lots by the formula and batch number that they have: of each, their ids. */
export class RecalledBatches {
	readonly #fgIds = new Map<string, Set<string>>();

	add({ fgId, ...batch }: Batch & Pick<Lot, "fgId">): void {
		const key = batchKey(batch);
		this.#fgIds.set(key, (this.#fgIds.get(key) ?? new Set()).add(fgId));
	}
	delete({ fgId, ...batch }: Batch & Pick<Lot, "fgId">): void {
		this.#fgIds.get(batchKey(batch))?.delete(fgId);
	}
	/** Is a lot of this formula and batch number recalled, in whatever pool? */
	has(batch: Batch): boolean {
		return (this.#fgIds.get(batchKey(batch))?.size ?? 0) > 0;
	}
}

type Batch = Pick<Lot, "formulaId" | "batchNumber">;
const batchKey = ({ formulaId, batchNumber }: Batch): string => `${formulaId}/${batchNumber}`;

/**
 * Brings units into a lot from outside. While a lot of the same formula and batch number is recalled, in whatever pool,
 * they go into quarantine, unless a person has `accepted` them (docs/decisions/0066). Returns whether they did.
 */
export function bringIn(
	stock: StockBook,
	lot: Lot,
	{ from, units, accepted, why }: { from: "received" | "corrected"; units: number; accepted: boolean; why: Cause },
): boolean {
	const quarantined = !accepted && stock.recalledBatches.has(lot);
	move(stock, lot, from, "available", units, why);
	if (quarantined && !lot.recalled) move(stock, lot, "available", "quarantined", units, { ...why, cause: "recall" });
	if (!quarantined && !accepted) stock.broughtInFree.add(lot);
	return quarantined;
}

/** Recalls a lot, unless that was done before. Returns the free units that went into quarantine. */
export function recallLot(stock: StockBook, lot: Lot, why: Cause): number {
	if (lot.recalled) return 0;
	lot.recalled = true;
	stock.newlyRecalled.add(lot);
	stock.noLongerRecalled.delete(lot);
	stock.recalledBatches.add(lot);
	for (const other of stock.broughtInFree) if (batchKey(other) === batchKey(lot)) stock.broughtInFree.delete(other); // they came before this recall
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
	stock.recalledBatches.delete(lot);
}
