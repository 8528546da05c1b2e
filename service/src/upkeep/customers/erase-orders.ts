import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { eraseCustomers, takeDueOrders, takeOrders } from "../../inventory/orders/erase-customers.ts";
import type { OrderToErase } from "../../inventory/orders/erase-sql.ts";
import { forgetWords } from "../../inventory/shipping/forget-words.ts";
import { type Erasure, erasureOf } from "./erasure.ts";
import { LOG_SETTLES_SECONDS, ORDERS_AT_ONCE, PAUSE_FACTOR, TASK_RUN_MS } from "./limits.ts";
import { type AskedBy, insertErasures } from "./sql.ts";

/**
 * Erases the customers of these orders, in the caller's transaction. An order that has been reopened since it was found
 * is skipped.
 */
export async function eraseOrders(tx: Query, orderIds: readonly string[], by: AskedBy): Promise<Erasure> {
	const orders = await takeOrders(tx, orderIds);
	const decided = erasureOf(orders);
	await eraseTaken(
		tx,
		orders.filter(({ orderId }) => decided.erase.includes(orderId)),
		by,
	);
	return decided;
}

/** Erases everything about locked orders at once: nobody ever sees an order that is erased in part. */
async function eraseTaken(tx: Query, orders: readonly OrderToErase[], by: AskedBy | null): Promise<void> {
	if (orders.length === 0) return;
	const orderIds = orders.map(({ orderId }) => orderId);
	await forgetWords(tx, orderIds);
	const kept = orders.map(({ orderId, environment }) => ({ orderId, isSandbox: environment === "sandbox" }));
	const recorded = kept.filter(({ isSandbox }) => by !== null || isSandbox);
	if (recorded.length > 0) await insertErasures(tx, recorded, by, LOG_SETTLES_SECONDS);
	await eraseCustomers(tx, orderIds);
}

/**
 * Erases the customers of orders that ended more than `days` ago, in the order in which they ended, and returns their
 * number. Any number of nodes may do this at once: each takes orders that no other has. If a node dies, what it has not
 * committed is unchanged.
 */
export async function eraseDueOrders(db: Database, days: number, signal: AbortSignal): Promise<number> {
	if (days === 0) return 0;
	const lastUntil = monotonicMs() + TASK_RUN_MS;
	let erased = 0;
	while (!signal.aborted) {
		const began = monotonicMs();
		const taken = await transaction(db, async (tx) => {
			const orders = await takeDueOrders(tx, days, ORDERS_AT_ONCE);
			await eraseTaken(tx, orders, null);
			return orders.length;
		});
		erased += taken;
		const ended = monotonicMs();
		if (taken < ORDERS_AT_ONCE || ended > lastUntil) break;
		await sleep(PAUSE_FACTOR * (ended - began), signal);
	}
	return erased;
}
