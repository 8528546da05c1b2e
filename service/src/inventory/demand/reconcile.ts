import { SANDBOX_SKU_PREFIX, SHARED_POOL_ID } from "../../glossary.ts";
import type { ReportedLine, ReportedOrder } from "./reported-order.ts";

/** The stock from which a store's orders are sold. */
export interface StorePools {
	readonly poolId: number;
	/** Whether the shared stock is drawn on after the brand's. */
	readonly shared: boolean;
}

/** The units that one kit of a SKU takes out of stock. */
export interface Recipe {
	/** False: a fee or a discount. */
	readonly tracksInventory: boolean;
	readonly components: readonly { readonly formulaId: string; readonly perKit: number }[];
}

/** A part of an order that cannot be promised or drawn down, and why. */
export interface Unsettled {
	readonly kind: "unknown_store" | "unknown_sku" | "no_recipe";
	/** The store ('' if no report named one) or the SKU. */
	readonly subject: string;
	/** Kits that should be promised. */
	readonly promisedKits: number;
	/** Kits that should be drawn down. */
	readonly shippedKits: number;
}

export interface Reconciliation {
	/** Units to promise, by formula. */
	readonly promised: ReadonlyMap<string, number>;
	/** Units to draw down now, by formula. */
	readonly due: ReadonlyMap<string, number>;
	/** The pools to draw on, in order; promises count against the first. Empty if the store is unknown. */
	readonly pools: readonly number[];
	/** The lines after drawing down. */
	readonly lines: readonly ReportedLine[];
	readonly unsettled: readonly Unsettled[];
	/** Whether any of it is promised, or waits to be promised or drawn down. */
	readonly pending: boolean;
}

/**
 * Computes what a reported order promises (ordered and not shipped) and draws down (shipped and not settled). Sandbox
 * SKUs never reach a label platform, so they count as unknown in this computation. `store` null: its brand is unknown.
 * Pure.
 */
export function reconcile(
	order: ReportedOrder,
	store: StorePools | null,
	recipes: ReadonlyMap<string, Recipe>,
): Reconciliation {
	const promised = new Map<string, number>();
	const due = new Map<string, number>();
	const unsettled: Unsettled[] = [];
	const storeless = { promisedKits: 0, shippedKits: 0 };
	const lines = order.lines.map((line) => {
		const promisedKits = order.status === "open" ? Math.max(0, line.orderedQty - line.shippedQty) : 0;
		const shippedKits = line.shippedQty - line.settledQty;
		if (promisedKits + shippedKits === 0) return line;
		const recipe = line.sku.startsWith(SANDBOX_SKU_PREFIX) ? undefined : recipes.get(line.sku);
		if (recipe?.tracksInventory === false) return { ...line, settledQty: line.shippedQty };
		if (recipe === undefined || recipe.components.length === 0) {
			const kind = recipe === undefined ? "unknown_sku" : "no_recipe";
			unsettled.push({ kind, subject: line.sku, promisedKits, shippedKits });
			return line;
		}
		if (store === null) {
			// a line with an unknown SKU gets only that exception, so resolving an exception covers just its own kits
			storeless.promisedKits += promisedKits;
			storeless.shippedKits += shippedKits;
			return line;
		}
		for (const { formulaId, perKit } of recipe.components) {
			add(promised, formulaId, promisedKits * perKit);
			add(due, formulaId, shippedKits * perKit);
		}
		return { ...line, settledQty: line.shippedQty };
	});
	if (storeless.promisedKits + storeless.shippedKits > 0)
		unsettled.push({ kind: "unknown_store", subject: order.store ?? "", ...storeless });
	const pending = promised.size > 0 || unsettled.length > 0;
	return { promised, due, pools: store === null ? [] : poolsOf(store), lines, unsettled, pending };
}

function add(units: Map<string, number>, formulaId: string, more: number): void {
	if (more > 0) units.set(formulaId, (units.get(formulaId) ?? 0) + more);
}

const poolsOf = ({ poolId, shared }: StorePools): number[] =>
	shared && poolId !== SHARED_POOL_ID ? [poolId, SHARED_POOL_ID] : [poolId];
