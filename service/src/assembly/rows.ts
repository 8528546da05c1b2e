import type { Rows } from "../engine/rows.ts";
import { capRows, type LockedKeys } from "../holds/cap-rows.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import { HoldBook } from "../holds/hold-book.ts";
import { type HoldNeeds, noHoldNeeds } from "../holds/needs.ts";
import { holdRows, type LockedHolds } from "../holds/rows.ts";
import { lotsOfHolds } from "../holds/sql.ts";
import { StockBook } from "../stock/book.ts";
import { lotsOnShelves, namedLots } from "../stock/needed-lots-sql.ts";
import type { Promised } from "../stock/promised.ts";
import { type LockedReceipts, receiptRows } from "../stock/receipt-rows.ts";
import { lotRows, noLockedLots } from "../stock/rows.ts";

/** What a batch must lock and read, of all rooms. */
export type Needs = HoldNeeds;
/** The snapshot that one batch decides on, with the parts of all rooms. */
export type Book = BookWithHolds;
/** Rows found locked by somebody else. */
export type Locked = LockedHolds & LockedKeys & LockedReceipts;

export const noNeeds: () => Needs = noHoldNeeds;

/**
 * The rows of all rooms, in the order in which every transaction locks them: capped keys, lots, holds. Two transactions can wait for
 * each other's rows, never in a circle.
 */
export const ROWS: readonly Rows<Needs, Book, Locked>[] = [
	capRows,
	lotRows<Needs>([lotsOnShelves, namedLots, lotsOfHolds], noNeeds()),
	holdRows,
	receiptRows,
];

/** A book into which nothing was filled yet. */
export function newBook(
	facts: Omit<Book, "stock" | "holds"> & { readonly promised: Promised },
	needs: Needs = noNeeds(),
): Book {
	const { promised, ...rest } = facts;
	return { ...rest, stock: new StockBook(rest.today, promised, needs), holds: new HoldBook() };
}

export const noLocked = (): Locked => ({
	...noLockedLots(),
	tokens: new Set(),
	refs: new Set(),
	keyIds: new Set(),
	receipts: false,
});
