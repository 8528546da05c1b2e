import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { carryOut } from "./carry-out.ts";
import type { DemandSettings } from "./draw-units.ts";
import { lockOrder, selectStanding } from "./orders-sql.ts";
import { type ReconciledOrder, reconcileOrder } from "./reconcile-order.ts";
import { fullReference, type OrderName } from "./report.ts";
import type { ReportedOrder } from "./reported-order.ts";

export type Noted = ReconciledOrder | Refusal<"invalid_input" | "rate_limited">;

/** Records a report under the lock of its order. `change` returns the same object if nothing is new. */
export async function noteReport(
	db: Database,
	settings: DemandSettings,
	name: OrderName,
	change: (order: ReportedOrder) => ReportedOrder,
): Promise<Noted> {
	const reference = fullReference(name);
	const origin = { actor: `system:${name.source}`, requestId: null };
	return await carryOut(db, async (tx) => {
		const before = await lockOrder(tx, name.source, reference);
		const after = change(before);
		if (after !== before) return await reconcileOrder(tx, settings, after, origin);
		const standing = await selectStanding(tx, reference);
		const promisedUnits = standing.reduce((total, { units }) => total + units, 0);
		return { reference, changed: false, promisedUnits, drawnUnits: 0, missingUnits: 0, unsettled: 0 };
	});
}
