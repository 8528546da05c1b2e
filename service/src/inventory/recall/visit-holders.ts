import type { Query } from "../../ground/pg/connect.ts";
import { EMPTY_CATALOG } from "../catalog/catalog.ts";
import { freeLapsedPart } from "../holds/end-hold.ts";
import { type Hold, statusAt } from "../holds/hold.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import { selectNow } from "../orders/operator-sql.ts";
import { OrderBook } from "../orders/order-book.ts";
import { readHolders } from "../orders/read-holders.ts";
import { orderReader, readOrdersOf } from "../orders/sql.ts";
import { readStockAround, type StockRules } from "../stock/read-stock-around.ts";
import type { BookWithWaiting } from "./restore.ts";

const HOLDERS_PER_READ = 1_000;

/**
 * Passes holders to `visit` in groups, with their orders, in a book that has all lots of these lots' formulas. The
 * first call has no holders; each further call has one group, until `visit` returns false. For previews, in a snapshot:
 * writes nothing and locks nothing.
 */
export async function visitHolders(
	tx: Query,
	{ timeZone, certificatesRequired }: StockRules,
	{ fgIds, tokens }: { readonly fgIds: readonly string[]; readonly tokens: readonly string[] },
	visit: (book: BookWithWaiting, holders: readonly string[], isLast: boolean) => boolean,
): Promise<void> {
	const { now, today } = await selectNow(tx, timeZone);
	const stock = await readStockAround(tx, { today, certificatesRequired }, fgIds);
	const facts = { now, today, timeZone, catalog: EMPTY_CATALOG, stock };
	for (let first = -HOLDERS_PER_READ; first < tokens.length; first += HOLDERS_PER_READ) {
		const group = first < 0 ? [] : tokens.slice(first, first + HOLDERS_PER_READ);
		const orders = new OrderBook();
		for (const row of await readOrdersOf(tx, group)) orders.addOrder(orderReader.decode(row));
		const book: BookWithWaiting = { ...facts, holds: await readHolders(tx, group), orders };
		for (const hold of book.holds.byToken.values()) endIfDue(book, hold);
		if (!visit(book, group, first + HOLDERS_PER_READ >= tokens.length)) return;
	}
}

/** Ends an overdue hold. Lots of other formulas are not in the book, and are not needed. */
function endIfDue(book: BookWithHolds, hold: Hold): void {
	if (hold.status !== "active" || statusAt(hold, book.now) !== "expired") return;
	for (const part of hold.parts) {
		if (part.state === "held" && book.stock.lotsById.has(part.fgId)) freeLapsedPart(book, hold.reservationToken, part);
	}
	hold.status = "expired";
}
