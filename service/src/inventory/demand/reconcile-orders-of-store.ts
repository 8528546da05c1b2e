import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import type { DemandSettings } from "./draw-units.ts";
import { selectPendingOrders } from "./orders-sql.ts";
import { reconcileAgain } from "./reconcile-again.ts";

/** Orders per query. */
const ORDERS_PER_LOOK = 500;

/** Reconciles every pending order of a store again, each in its own transaction. Returns the number of orders. */
export async function reconcileOrdersOfStore(
	db: Database,
	settings: DemandSettings,
	store: string,
	origin: Origin,
): Promise<number | Refusal<"invalid_input" | "rate_limited">> {
	let orders = 0;
	for (let after = ""; ; ) {
		const found = await selectPendingOrders(db, store, after, ORDERS_PER_LOOK);
		for (const reference of found) {
			const settled = await reconcileAgain(db, settings, reference, origin);
			if (isRefusal(settled)) return settled;
			orders++;
		}
		const last = found.at(-1);
		if (last === undefined) return orders;
		after = last;
	}
}
