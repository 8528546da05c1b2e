import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type Changes, type Demand, setDemand } from "../stock/set-demand.ts";
import { lockDemand, selectDemandOf } from "./list-demand-sql.ts";
import { lockKnownOrder } from "./orders-sql.ts";

/** Demand of a formula and a pool, without its reference. */
export type DemandOfReference = Omit<Demand, "reference">;

export interface DemandSet extends Changes {
	/** There was no demand under the reference before. */
	readonly isNew: boolean;
}

/**
 * Replaces all demand that the operator entered under a reference; no two entries may share formula and brand. Refuses
 * `not_found` for an unknown formula or brand, and `wrong_state` for demand of a platform, whose next report would
 * replace it again.
 */
export async function setDemandOf(
	tx: Query,
	reference: string,
	wanted: readonly DemandOfReference[],
): Promise<DemandSet | Refusal<"not_found" | "wrong_state">> {
	const order = await lockKnownOrder(tx, reference);
	if (order !== null)
		return refuse("wrong_state", `${reference} is reported by ${order.source}: change or cancel the order there.`);
	await lockDemand(tx);
	const kept = new Set(wanted.map(keyOf));
	const before = await selectDemandOf(tx, reference);
	const gone = before.filter((one) => !kept.has(keyOf(one)));
	const entries = [...wanted, ...gone.map((one) => ({ ...one, units: 0 }))];
	const changes = await setDemand(
		tx,
		entries.map((entry) => ({ ...entry, reference })),
	);
	return isRefusal(changes) ? changes : { ...changes, isNew: before.length === 0 };
}

const keyOf = ({ formula, brandCode }: Pick<Demand, "formula" | "brandCode">): string =>
	JSON.stringify([formula, brandCode]);
