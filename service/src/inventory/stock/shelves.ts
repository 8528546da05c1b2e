import { isRefusal } from "../../ground/lib/refusal.ts";
import { isUnknownBrand } from "../catalog/brand.ts";
import type { ResolvedLines } from "../catalog/resolve-lines.ts";
import type { Sku } from "../catalog/sku.ts";

/** Formulas, each with the pools in question. */
export type Shelves = Map<string, readonly number[]>;

export function addShelves(shelves: Shelves, formulaId: string, pools: readonly number[]): void {
	const known = shelves.get(formulaId);
	if (known === undefined) shelves.set(formulaId, pools);
	else if (known !== pools && !pools.every((poolId) => known.includes(poolId))) {
		shelves.set(formulaId, [...new Set([...known, ...pools])]);
	}
}

export function addShelvesOfSku(shelves: Shelves, sku: Sku, pools: readonly number[]): void {
	for (const { formula } of sku.components) addShelves(shelves, formula.formulaId, pools);
}

/** Adds the shelves of lines whose SKU and brand exist. */
export function addShelvesOfLines(shelves: Shelves, lines: ResolvedLines): void {
	if (isRefusal(lines)) return;
	for (const { sku, draw } of lines)
		if (sku !== undefined && !isUnknownBrand(draw)) addShelvesOfSku(shelves, sku, draw.pools);
}

/** The pools if they are the same for every formula, as they nearly always are; otherwise null. */
export function commonPools(shelves: Shelves): readonly number[] | null {
	let common: readonly number[] | null = null;
	for (const pools of shelves.values()) {
		if (common === null) common = pools;
		else if (common !== pools && (common.length !== pools.length || !pools.every((id, i) => common?.[i] === id)))
			return null;
	}
	return common;
}
