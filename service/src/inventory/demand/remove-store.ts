import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { carryOut } from "./carry-out.ts";
import type { DemandSettings } from "./draw-units.ts";
import { reconcileOrdersOfStore } from "./reconcile-orders-of-store.ts";
import { deleteStore, lockStore } from "./stores-sql.ts";

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
