import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import type { DemandSettings } from "./draw-units.ts";
import { selectPendingOrders } from "./orders-sql.ts";
import { reconcileAgain } from "./reconcile-again.ts";

/** How far the pending orders of a store have been reconciled again. */
export interface StoreState {
	readonly store: string;
	/** The reference of the last order. */
	readonly after: string;
	readonly orders: number;
}

/** Reconciles the next pending order of a store again; null: there is none. */
export async function reconcileStoreStep(
	tx: Query,
	settings: DemandSettings,
	{ store, after, orders }: StoreState,
	origin: Origin,
): Promise<StoreState | null | Refusal<"invalid_input">> {
	const [reference] = await selectPendingOrders(tx, store, after, 1);
	if (reference === undefined) return null;
	const reconciled = await reconcileAgain(tx, settings, reference, origin);
	return isRefusal(reconciled) ? reconciled : { store, after: reference, orders: orders + 1 };
}
