import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { findNamesOfOrders } from "../../inventory/orders/erase-customers.ts";
import type { NamesOfOrder } from "../../inventory/orders/erase-sql.ts";
import { clearBodies } from "../traffic/clear-bodies.ts";
import type { LogCursor } from "../traffic/clear-bodies-sql.ts";
import type { Sought } from "../traffic/without-bodies.ts";
import { LOOKING_SECONDS, SOUGHT_AT_ONCE } from "./limits.ts";
import { endLogs, keepLogs, selectSandboxKeysOf, takeLogsDue } from "./sql.ts";

/** How far the log was searched for an address, and for some orders of the sandbox. */
export interface LogSearch {
	/** The keys whose requests are still to be searched for the address alone, before the orders; absent: none. */
	readonly addressKeys?: readonly string[] | undefined;
	/** The orders that are still to be looked for. */
	readonly orderIds: readonly string[];
	/**
	 * The keys whose requests are still to be searched for the first of them; absent: those of all sandbox keys of its
	 * partner, because a request of another key may have named the order's hold.
	 */
	readonly keyIds?: readonly string[];
	/** Where the search of the first key continues; null: at the beginning. */
	readonly after: LogCursor | null;
}

export const isOver = ({ addressKeys = [], orderIds }: LogSearch): boolean =>
	addressKeys.length === 0 && orderIds.length === 0;

/**
 * Searches the next chunks of a key's log for the address, in the caller's transaction, and removes the bodies that
 * have it. Returns what is left of the search.
 */
export async function clearLogOfAddress(tx: Query, search: LogSearch, email: string): Promise<LogSearch> {
	const [keyId, ...later] = search.addressKeys ?? [];
	if (keyId === undefined) return search;
	const after = await clearBodies(tx, keyId, { ids: [], refs: [], email }, search.after);
	return { ...search, addressKeys: after === null ? later : [keyId, ...later], after };
}

/**
 * Searches the next chunks of a key's log for the first of the orders and others of its key, in the caller's
 * transaction, and removes the bodies of the requests about them. Returns what is left of the search.
 */
export async function clearLogOf(tx: Query, search: LogSearch): Promise<LogSearch> {
	const orders = await findNamesOfOrders(tx, search.orderIds);
	const [first] = orders;
	if (first === undefined) return { orderIds: [], after: null };
	const together = orders.filter(({ keyId }) => keyId === first.keyId).slice(0, SOUGHT_AT_ONCE);
	const [keyId = first.keyId, ...later] = search.keyIds ?? (await selectSandboxKeysOf(tx, first.keyId));
	const after = await clearBodies(tx, keyId, soughtOf(together, keyId), search.after);
	if (after !== null) return { orderIds: search.orderIds, keyIds: [keyId, ...later], after };
	if (later.length > 0) return { orderIds: search.orderIds, keyIds: later, after: null };
	const over = new Set(together.map(({ orderId }) => orderId));
	return { orderIds: search.orderIds.filter((orderId) => !over.has(orderId)), after: null };
}

/** Another key may use the same references for orders of its own. */
const soughtOf = (orders: readonly NamesOfOrder[], keyId: string): Sought => ({
	ids: orders.flatMap(({ orderId, token }) => [orderId, token]),
	refs: orders.flatMap((order) => (order.keyId === keyId ? [order.ref] : [])),
	email: null,
});

interface DueSearch {
	readonly orderIds: readonly string[];
	readonly left: LogSearch;
}
/** What a run of the task had to leave, by the node's database: the next run continues it. */
const unfinished = new WeakMap<Database, DueSearch>();

/** Searches the log for the orders that are due, until none is. A node that dies leaves them to another one. */
export async function clearDueLogs(db: Database, signal: AbortSignal): Promise<number> {
	let cleared = 0;
	while (!signal.aborted) {
		const begun = await continuedOrTaken(db);
		if (begun === null) break;
		const { orderIds } = begun;
		let { left } = begun;
		while (!isOver(left) && !signal.aborted) {
			const now = left;
			left = await transaction(db, (tx) => clearLogOf(tx, now));
		}
		if (!isOver(left)) {
			unfinished.set(db, { orderIds, left });
			break;
		}
		await endLogs(db, orderIds);
		cleared += orderIds.length;
	}
	return cleared;
}

async function continuedOrTaken(db: Database): Promise<DueSearch | null> {
	const last = unfinished.get(db);
	if (last !== undefined) {
		unfinished.delete(db); // if it fails, others come first
		await keepLogs(db, last.orderIds, LOOKING_SECONDS);
		return last;
	}
	const orderIds = await takeLogsDue(db, SOUGHT_AT_ONCE, LOOKING_SECONDS);
	return orderIds.length === 0 ? null : { orderIds, left: { orderIds, after: null } };
}
