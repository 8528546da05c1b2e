import type { Sku } from "../catalog/sku.ts";
import type { ShelfOf } from "./reader.ts";

/** Where the units of a SKU lie: each formula of its recipe in each pool. */
export const shelvesOfSku = (sku: Sku, pools: readonly number[]): ShelfOf[] =>
	sku.components.flatMap(({ formula }) => pools.map((poolId) => ({ formulaId: formula.formulaId, poolId })));
