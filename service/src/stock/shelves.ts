import type { Sku } from "../catalog/sku.ts";

/** Where units lie: formulas, each with the pools it is looked for in. */
export type Shelves = Map<string, Set<number>>;

export function addShelves(shelves: Shelves, formulaId: string, pools: Iterable<number>): void {
	const known = shelves.get(formulaId);
	if (!known) shelves.set(formulaId, new Set(pools));
	else for (const poolId of pools) known.add(poolId);
}

/** Each formula of a SKU's recipe in each pool. */
export function addShelvesOfSku(shelves: Shelves, sku: Sku, pools: readonly number[]): void {
	for (const { formula } of sku.components) addShelves(shelves, formula.formulaId, pools);
}
