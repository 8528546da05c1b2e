import type { StockBook } from "./book.ts";
import type { Move } from "./move.ts";

/** Changes of a lot in a batch that affect its receipts (settlements, section 7). Units. */
export interface ReceiptChange {
	readonly fgId: string;
	readonly poolId: number;
	/**
	 * YYYY-MM-DD: the day of the receipt to which `received` is added. If the lot has no receipt, one with this day is
	 * created.
	 */
	readonly day: string;
	received: number;
	/** Units added (or, if negative, removed) by recounts, which go to the lot's last receipt. */
	corrected: number;
	/** Whether units were quarantined, restored or destroyed, which affects every receipt of the lot. */
	whole: boolean;
	/** This batch created the lot, so it has no receipt yet. */
	readonly isFirst: boolean;
}

/**
 * Derives receipt changes from the moves, so no command needs to consider receipts. Units of a new lot belong to the
 * lot's receipt day, all others to the current day.
 */
export function receiptChanges(stock: Pick<StockBook, "moves" | "lotsById" | "newLots" | "today">): ReceiptChange[] {
	const changes = new Map<string, ReceiptChange>();
	for (const { fgId, from, to, units } of stock.moves) {
		if (!isTold(from) && !isTold(to)) continue;
		const change = changes.get(fgId) ?? noChange(stock, fgId);
		changes.set(fgId, change);
		if (from === "received") change.received += units;
		else if (from === "corrected") change.corrected += units;
		else if (to === "corrected") change.corrected -= units;
		else change.whole = true;
	}
	return [...changes.values()];
}

/** Only moves from or to these buckets affect receipts; all others are moves of holds. */
const TOLD: ReadonlySet<Move["from"]> = new Set(["received", "corrected", "quarantined", "destroyed"]);
const isTold = (bucket: Move["from"]): boolean => TOLD.has(bucket);

function noChange({ lotsById, newLots, today }: Parameters<typeof receiptChanges>[0], fgId: string): ReceiptChange {
	const lot = lotsById.get(fgId);
	if (lot === undefined) throw new Error(`bug: a move of lot ${fgId}, which the book does not have`);
	const isFirst = newLots.has(lot);
	const day = isFirst ? lot.receivedOn : today;
	return { fgId, poolId: lot.poolId, day, received: 0, corrected: 0, whole: false, isFirst };
}
