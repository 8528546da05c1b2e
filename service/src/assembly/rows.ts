import type { Rows } from "../ground/engine/rows.ts";
import { createCertificateRows, type LockedCertificates } from "../inventory/certificates/rows.ts";
import { capRows, type LockedKeys } from "../inventory/holds/cap-rows.ts";
import { HoldBook } from "../inventory/holds/hold-book.ts";
import { createHoldRows, type LockedHolds } from "../inventory/holds/rows.ts";
import { LOTS_OF_HOLDS } from "../inventory/holds/sql.ts";
import { noOrderNeeds, type OrderNeeds } from "../inventory/orders/needs.ts";
import { type BookWithOrders, OrderBook } from "../inventory/orders/order-book.ts";
import { type LockedOrders, orderRows } from "../inventory/orders/rows.ts";
import { labelRows } from "../inventory/shipping/label-rows.ts";
import { StockBook } from "../inventory/stock/book.ts";
import { lotsOnShelves, namedLots } from "../inventory/stock/needed-lots-sql.ts";
import type { Promised } from "../inventory/stock/promised.ts";
import { type LockedReceipts, receiptRows } from "../inventory/stock/receipt-rows.ts";
import { lotRows, noLockedLots } from "../inventory/stock/rows.ts";
import { eventRows } from "../partners/webhooks/rows.ts";

/** Everything that a batch must lock and read, over all rooms. */
export type Needs = OrderNeeds;
/** The snapshot that one batch decides on, over all rooms. */
export type Book = BookWithOrders;
/** Rows that were found locked by other transactions. */
export type Locked = LockedCertificates & LockedHolds & LockedKeys & LockedOrders & LockedReceipts;

export const noNeeds: () => Needs = noOrderNeeds;

/** The operator's settings that affect rows. */
export interface RowSettings {
	/** Whether units of a lot without a current certificate are unavailable. Default: false. */
	readonly certificatesRequired?: boolean;
	/** Whether waiting boxes are pushed to a label platform. Default: false. */
	readonly handsOver?: boolean;
}

export type BatchRows = readonly Rows<Needs, Book, Locked>[];

/**
 * The rows of all rooms, in the order in which every transaction locks them: capped keys, lots, holds, orders, boxes,
 * and last the epochs that number the entries of lists. The epoch of the events comes after all others, because a
 * change of any other list may cause an event. The order prevents deadlocks.
 */
export const createRows = ({ certificatesRequired = false, handsOver = false }: RowSettings): BatchRows => [
	capRows,
	lotRows<Needs>([lotsOnShelves, namedLots, ...LOTS_OF_HOLDS]),
	createHoldRows(),
	orderRows,
	receiptRows,
	createCertificateRows(certificatesRequired),
	eventRows,
	...(handsOver ? [labelRows] : []),
];

/** An empty book. */
export function newBook(
	facts: Omit<Book, "stock" | "holds" | "orders" | "events"> & { readonly promised: Promised },
	needs: Needs = noNeeds(),
): Book {
	const { promised, ...rest } = facts;
	const stock = new StockBook(rest.today, promised, needs);
	return { ...rest, stock, holds: new HoldBook(), orders: new OrderBook(), events: [] };
}

export const noLocked = (): Locked => ({
	...noLockedLots(),
	tokens: new Set(),
	refs: new Set(),
	keyIds: new Set(),
	orderIds: new Set(),
	orderRefs: new Set(),
	orderTokens: new Set(),
	numbers: false,
	receipts: false,
	certificates: false,
});
