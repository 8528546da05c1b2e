import type { Refusal } from "../lib/refusal.ts";
import type { Database } from "../pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { carryOut } from "./carry-out.ts";
import { type DemandSettings, drawUnits } from "./draw-units.ts";
import { lockShortages } from "./exceptions-sql.ts";
import { lockKnownOrder } from "./orders-sql.ts";
import { settleOrder } from "./settle-order.ts";

/** What settling again came to. */
export interface SettledAgain {
	/** Units that were drawn down now. */
	readonly drawnUnits: number;
	/** Units that no lot had now either. */
	readonly missingUnits: number;
}

/**
 * Settles one reference again: its store, its SKUs and its recipes as they are now, and what was missing from lots. In one
 * transaction of its own.
 */
export async function settleAgain(
	db: Database,
	settings: DemandSettings,
	reference: string,
	origin: Origin,
): Promise<SettledAgain | Refusal<"invalid_input" | "rate_limited">> {
	return await carryOut(db, async (tx) => {
		const order = await lockKnownOrder(tx, reference);
		const late = await lockShortages(tx, reference);
		if (order !== null) return await settleOrder(tx, settings, order, origin, late);
		return await drawUnits(tx, settings, { reference, due: [], late }, origin);
	});
}
