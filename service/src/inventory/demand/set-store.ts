import { SANDBOX_BRAND, SHARED_POOL_ID } from "../../glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { noSuch } from "../catalog/find-shelf.ts";
import { selectPoolId } from "../catalog/list-catalog-sql.ts";
import type { Origin } from "../stock/move.ts";
import { carryOut } from "./carry-out.ts";
import type { DemandSettings } from "./draw-units.ts";
import { MAX_NAME_OF_LINE_LENGTH } from "./limits.ts";
import { selectPendingOrders } from "./orders-sql.ts";
import { reconcileAgain } from "./reconcile-again.ts";
import { isStorableText } from "./report.ts";
import { deleteStore, type ListedStore, lockStore, putStore } from "./stores-sql.ts";

export interface StoreSet extends ListedStore {
	/** Number of orders reconciled again. */
	readonly orders: number;
}

/**
 * Sets the brand whose stock a store sells (`brandCode` null: the shared stock) and reconciles its pending orders, each
 * in its own transaction. Units already drawn down stay with their lots. Refuses `not_found` for an unknown brand and
 * `invalid_input` for the sandbox's brand, whose units never ship.
 */
export async function setStore(
	db: Database,
	settings: DemandSettings,
	{ store, brandCode, shared }: ListedStore,
	origin: Origin,
): Promise<StoreSet | Refusal<"not_found" | "invalid_input" | "rate_limited">> {
	if (brandCode === SANDBOX_BRAND)
		return refuse("invalid_input", `${SANDBOX_BRAND} is the brand of the sandbox: its units never ship.`);
	if (!isStorableText(store, MAX_NAME_OF_LINE_LENGTH))
		return refuse("invalid_input", `A store's name has 1 to ${MAX_NAME_OF_LINE_LENGTH} characters.`);
	const poolId = brandCode === null ? SHARED_POOL_ID : await selectPoolId(db, brandCode);
	if (poolId === null) return refuse("not_found", await noSuch(db, "brands", brandCode ?? ""));
	const put = await carryOut(db, async (tx) => {
		await lockStore(tx, store, "alone");
		await putStore(tx, store, poolId, shared);
		return null;
	});
	if (put !== null) return put;
	const orders = await reconcileOrdersOfStore(db, settings, store, origin);
	return isRefusal(orders) ? orders : { store, brandCode, shared, orders };
}

export interface StoreRemoved {
	/** False: the store was unknown. */
	readonly removed: boolean;
	/** Number of orders reconciled again. */
	readonly orders: number;
}

/** Removes the assignment of a store to a brand. Promises of its open orders are released and become exceptions. */
export async function removeStore(
	db: Database,
	settings: DemandSettings,
	store: string,
	origin: Origin,
): Promise<StoreRemoved | Refusal<"invalid_input" | "rate_limited">> {
	const removed = await carryOut(db, async (tx) => {
		await lockStore(tx, store, "alone");
		return (await deleteStore(tx, store)) > 0;
	});
	if (isRefusal(removed)) return removed;
	const orders = removed ? await reconcileOrdersOfStore(db, settings, store, origin) : 0;
	return isRefusal(orders) ? orders : { removed, orders };
}

/** Orders per query. */
const ORDERS_PER_PAGE = 500;

/** Reconciles every pending order of a store again, each in its own transaction. Returns the number of orders. */
export async function reconcileOrdersOfStore(
	db: Database,
	settings: DemandSettings,
	store: string,
	origin: Origin,
): Promise<number | Refusal<"invalid_input" | "rate_limited">> {
	let orders = 0;
	for (let after = ""; ; ) {
		const found = await selectPendingOrders(db, store, after, ORDERS_PER_PAGE);
		for (const reference of found) {
			const reconciled = await reconcileAgain(db, settings, reference, origin);
			if (isRefusal(reconciled)) return reconciled;
			orders++;
		}
		const last = found.at(-1);
		if (last === undefined) return orders;
		after = last;
	}
}
