import type { ResolvedLines } from "../catalog/resolve-lines.ts";
import { addShelves, type Shelves } from "./shelves.ts";

/** The stock that a batch must lock and read before it decides. */
export interface StockNeeds {
	/** Shelves: every non-empty lot on them and the promised units. */
	readonly shelves: Shelves;
	/** Single lots. */
	readonly fgIds: Set<string>;
	/** Batches of a shelf, if they exist. */
	readonly batches: { readonly formulaId: string; readonly poolId: number; readonly batchNumber: string }[];
	/** Lots, by id, that units are brought into. */
	readonly broughtInto: Set<string>;
	/**
	 * Lots for which the other lots of their formulas are needed, too, because units may be picked again from those.
	 */
	readonly siblingsOf: Set<string>;
	/** The resolved lines of each command in the batch's catalogue. */
	readonly resolved: Map<object, ResolvedLines>;
}

export const noStockNeeds = (): StockNeeds => ({
	shelves: new Map(),
	fgIds: new Set(),
	batches: [],
	broughtInto: new Set(),
	siblingsOf: new Set(),
	resolved: new Map(),
});

/** The additional locks with which a batch begins again. */
export type MoreStock = Pick<StockNeeds, "shelves" | "fgIds">;

export function addMore(needs: MoreStock, { shelves, fgIds }: MoreStock): void {
	for (const [formulaId, pools] of shelves) addShelves(needs.shelves, formulaId, pools);
	for (const fgId of fgIds) needs.fgIds.add(fgId);
}
