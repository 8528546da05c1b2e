import type { StockBook } from "./book.ts";
import type { Move } from "./move.ts";

/** What a batch did to a lot that its receipts tell of (settlements, section 7). Units. */
export interface ReceiptChange {
	readonly fgId: string;
	readonly poolId: number;
	/**
	 * YYYY-MM-DD, the day of the receipt that `received` belongs to, and of the receipt that is made when the lot has
	 * none.
	 */
	readonly day: string;
	/** Came in. */
	received: number;
	/** Came in, or, negative, went out, by a recount: on the lot's last receipt. */
	corrected: number;
	/** Units went into quarantine, out of it, or were destroyed: every receipt of the lot tells of it. */
	whole: boolean;
	/** The lot is of this batch, so it has no receipt yet. */
	readonly isFirst: boolean;
}

/**
 * What is to be written of the lots that units came into, or were taken out of, from outside. It is read from the
 * moves, so no command needs to know of receipts. Units that came with a new lot are of the lot's day; all others came
 * on the day of the batch.
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

/** Moves from or to these are of lots that came, went or were found bad; all others are of holds. */
const TOLD: ReadonlySet<Move["from"]> = new Set(["received", "corrected", "quarantined", "destroyed"]);
const isTold = (bucket: Move["from"]): boolean => TOLD.has(bucket);

function noChange({ lotsById, newLots, today }: Parameters<typeof receiptChanges>[0], fgId: string): ReceiptChange {
	const lot = lotsById.get(fgId);
	if (lot === undefined) throw new Error(`bug: a move of lot ${fgId}, which the book does not have`);
	const isFirst = newLots.has(lot);
	const day = isFirst ? lot.receivedOn : today;
	return { fgId, poolId: lot.poolId, day, received: 0, corrected: 0, whole: false, isFirst };
}
