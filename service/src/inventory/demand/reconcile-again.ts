import { SHARED_POOL_ID } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { type DemandSettings, drawUnits } from "./draw-units.ts";
import { lockShortages, type OpenShortage } from "./exceptions-sql.ts";
import { lockKnownOrder } from "./orders-sql.ts";
import { reconcileOrder } from "./reconcile-order.ts";

export interface ReconciledAgain {
	readonly drawnUnits: number;
	readonly missingUnits: number;
}

/**
 * Reconciles one reference again with its current store, SKUs and recipes, and draws down missing units, in the
 * caller's transaction. `shared`: search the shared stock, too, after the stock that the units were shipped from.
 */
export async function reconcileAgain(
	tx: Query,
	settings: DemandSettings,
	reference: string,
	origin: Origin,
	shared = false,
): Promise<ReconciledAgain | Refusal<"invalid_input">> {
	const order = await lockKnownOrder(tx, reference);
	const missing = await lockShortages(tx, reference);
	const late = shared ? missing.map(withShared) : missing;
	if (order !== null) return await reconcileOrder(tx, settings, order, origin, late);
	return await drawUnits(tx, settings, { reference, due: [], late }, origin);
}

const withShared = (shortage: OpenShortage): OpenShortage =>
	shortage.pools.includes(SHARED_POOL_ID) ? shortage : { ...shortage, pools: [...shortage.pools, SHARED_POOL_ID] };
