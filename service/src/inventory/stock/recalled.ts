import type { StockBook } from "./book.ts";
import type { Lot } from "./lot.ts";
import { type Cause, move } from "./move.ts";

/*
 * A recalled lot has no free units: the recall quarantines those it has, and `stock/move.ts` quarantines those that are
 * returned to it later (docs/decisions/0037). So code that counts or picks need not consider recalls.
 */

/** Ids of recalled lots, by formula and batch number. */
export class RecalledBatches {
	readonly #fgIds = new Map<string, Set<string>>();

	add({ fgId, ...batch }: Batch & Pick<Lot, "fgId">): void {
		const key = batchKey(batch);
		this.#fgIds.set(key, (this.#fgIds.get(key) ?? new Set()).add(fgId));
	}
	delete({ fgId, ...batch }: Batch & Pick<Lot, "fgId">): void {
		this.#fgIds.get(batchKey(batch))?.delete(fgId);
	}
	has(batch: Batch): boolean {
		return (this.#fgIds.get(batchKey(batch))?.size ?? 0) > 0;
	}
}

type Batch = Pick<Lot, "formulaId" | "batchNumber">;
const batchKey = ({ formulaId, batchNumber }: Batch): string => `${formulaId}/${batchNumber}`;

/**
 * Brings units into a lot from outside. While a lot of the same formula and batch number is recalled in any pool, they
 * go into quarantine unless a person `accepted` them (docs/decisions/0066). Returns whether they were quarantined.
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

/** Recalls a lot, unless it is recalled already. Returns the free units that went into quarantine. */
export function recallLot(stock: StockBook, lot: Lot, why: Cause): number {
	if (lot.recalled) return 0;
	lot.recalled = true;
	stock.newlyRecalled.add(lot);
	stock.noLongerRecalled.delete(lot);
	stock.recalledBatches.add(lot);
	// added before this recall
	for (const other of stock.broughtInFree) if (batchKey(other) === batchKey(lot)) stock.broughtInFree.delete(other);
	const units = lot.available;
	if (units > 0) move(stock, lot, "available", "quarantined", units, why);
	return units;
}

/** Ends a lot's recall: units that are returned to it are free again. Units in quarantine stay there. */
export function endRecall(stock: StockBook, lot: Lot): void {
	if (!lot.recalled) return;
	lot.recalled = false;
	stock.noLongerRecalled.add(lot);
	stock.newlyRecalled.delete(lot);
	stock.recalledBatches.delete(lot);
}
