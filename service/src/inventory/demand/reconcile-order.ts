import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { MAX_UNITS } from "../stock/limits.ts";
import type { Origin } from "../stock/move.ts";
import { type DemandSettings, drawUnits } from "./draw-units.ts";
import { changeExceptions } from "./exception.ts";
import { type OpenShortage, saveExceptions, selectKnownExceptions } from "./exceptions-sql.ts";
import { replaceStanding, type StandingRow, saveOrder, selectRecipes, selectStanding } from "./orders-sql.ts";
import { reconcile, type StorePools } from "./reconcile.ts";
import type { ReportedOrder } from "./reported-order.ts";
import { lockStore, selectStorePools } from "./stores-sql.ts";

export interface ReconciledOrder {
	readonly reference: string;
	/** False: nothing was new. */
	readonly changed: boolean;
	readonly promisedUnits: number;
	readonly drawnUnits: number;
	/** Shipped units that no lot had; recorded as an exception. */
	readonly missingUnits: number;
	/** Number of its stores and SKUs that could not be reconciled; each is an exception. */
	readonly unsettled: number;
}

/**
 * Brings demand, stock and exceptions in line with an order that the caller has locked, in the caller's transaction.
 * Demand is written before lots are locked, so that no transaction that serves partners waits for a change of demand.
 * `late`: open shortages to try to draw down again; the caller has locked their rows.
 */
export async function reconcileOrder(
	tx: Query,
	settings: DemandSettings,
	order: ReportedOrder,
	origin: Origin,
	late: readonly OpenShortage[] = [],
): Promise<ReconciledOrder | Refusal<"invalid_input">> {
	const { reference, source } = order;
	const recipes = await selectRecipes(
		tx,
		order.lines.map(({ sku }) => sku),
	);
	const store = order.store === null ? null : await readStore(tx, order.store);
	const { promised, due, pools, lines, unsettled, pending } = reconcile(order, store, recipes);
	for (const units of [...promised.values(), ...due.values()]) {
		if (units > MAX_UNITS)
			return refuse(
				"invalid_input",
				`Order ${reference} asks for ${units} units of a formula; the maximum is ${MAX_UNITS}.`,
			);
	}
	const [poolId = 0] = pools;
	await changeStanding(
		tx,
		source,
		reference,
		[...promised].map(([formulaId, units]) => ({ formulaId, poolId, units })),
	);
	const wants = [...due].map(([formulaId, units]) => ({ formulaId, pools, units }));
	const { drawnUnits, missingUnits } = await drawUnits(tx, settings, { reference, due: wants, late }, origin);
	const changes = changeExceptions(await selectKnownExceptions(tx, reference), unsettled);
	await saveExceptions(tx, reference, changes, origin.actor);
	await saveOrder(tx, { ...order, lines }, pending);
	return {
		reference,
		changed: true,
		promisedUnits: [...promised.values()].reduce((total, units) => total + units, 0),
		drawnUnits,
		missingUnits,
		unsettled: unsettled.length,
	};
}

/** Locks the store in a separate statement, so that the read sees changes by the lock's previous holder. */
async function readStore(tx: Query, store: string): Promise<StorePools | null> {
	await lockStore(tx, store, "in common");
	return await selectStorePools(tx, store);
}

/** Skips unchanged demand, because any change makes every node reload it. */
async function changeStanding(
	tx: Query,
	source: string,
	reference: string,
	rows: readonly StandingRow[],
): Promise<void> {
	const standing = await selectStanding(tx, reference);
	const asText = (some: readonly StandingRow[]): string[] =>
		some.map(({ formulaId, poolId, units }) => `${formulaId}/${poolId}/${units}`).sort();
	if (asText(standing).join() !== asText(rows).join()) await replaceStanding(tx, source, reference, rows);
}
