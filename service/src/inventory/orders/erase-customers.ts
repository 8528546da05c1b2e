import type { Query } from "../../ground/pg/connect.ts";
import { forgetDetails } from "../../partners/webhooks/forget-details.ts";
import {
	blankOrders,
	lockBoxesOf,
	lockDueOrders,
	lockOrdersToErase,
	type NamesOfOrder,
	type OrderToErase,
	selectNamesOfOrders,
	selectOrdersOfEmail,
	selectOrdersToErase,
} from "./erase-sql.ts";

/** The orders with these ids that exist. Locks nothing. */
export const findOrdersToErase = (db: Query, orderIds: readonly string[]): Promise<OrderToErase[]> =>
	selectOrdersToErase(db, orderIds);

/** At most `most` orders of a customer's e-mail address. Locks nothing. */
export const findOrdersOfEmail = (db: Query, email: string, most: number): Promise<OrderToErase[]> =>
	selectOrdersOfEmail(db, email, most);

/** The ids and references by which the log of requests knows these orders. */
export const findNamesOfOrders = (db: Query, orderIds: readonly string[]): Promise<NamesOfOrder[]> =>
	selectNamesOfOrders(db, orderIds);

/** Locks the orders with these ids for the rest of the transaction. */
export const takeOrders = (tx: Query, orderIds: readonly string[]): Promise<OrderToErase[]> =>
	lockOrdersToErase(tx, orderIds);

/** Locks the next orders that ended more than `days` ago and have a customer. */
export const takeDueOrders = (tx: Query, days: number, most: number): Promise<OrderToErase[]> =>
	lockDueOrders(tx, days, most);

/** Erases the customers of orders that are locked and have ended, and the texts in their events. */
export async function eraseCustomers(tx: Query, orderIds: readonly string[]): Promise<void> {
	await forgetDetails(tx, orderIds);
	await blankOrders(tx, orderIds, await lockBoxesOf(tx, orderIds));
}
