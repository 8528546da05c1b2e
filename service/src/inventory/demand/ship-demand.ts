import { SHARED_POOL_ID } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { type DemandSettings, type Drawn, drawUnits } from "./draw-units.ts";
import { lockKnownOrder, takeStanding } from "./orders-sql.ts";

export interface ShippedDemand extends Drawn {
	readonly reference: string;
}

/**
 * Ships demand that the operator entered under a reference: deletes it and moves its units from available to shipped,
 * first expired first out, from the promised stock and then, if `shared`, from the shared stock. Units that no lot has
 * become an exception. A second call finds nothing to ship. Refuses `not_found` without demand under the reference, and
 * `wrong_state` for demand of a platform, whose shipment report would draw it down again.
 */
export async function shipDemand(
	tx: Query,
	settings: DemandSettings,
	{ reference, shared }: { readonly reference: string; readonly shared: boolean },
	origin: Origin,
): Promise<ShippedDemand | Refusal<"not_found" | "wrong_state">> {
	const order = await lockKnownOrder(tx, reference);
	if (order !== null) {
		return refuse(
			"wrong_state",
			`${reference} is reported by ${order.source}, and drawn down when ${order.source} reports that it was shipped.`,
		);
	}
	const standing = await takeStanding(tx, reference);
	if (standing.length === 0) return refuse("not_found", `There is no demand under ${JSON.stringify(reference)}.`);
	const due = standing.map(({ formulaId, poolId, units }) => ({
		formulaId,
		units,
		pools: shared && poolId !== SHARED_POOL_ID ? [poolId, SHARED_POOL_ID] : [poolId],
	}));
	return { reference, ...(await drawUnits(tx, settings, { reference, due, late: [] }, origin)) };
}
