import type { ResolvedLines } from "../catalog/resolve-lines.ts";
import { addShelves, type Shelves } from "./shelves.ts";

/** What a batch must lock and read of stock before it can be decided. */
export interface StockNeeds {
	/** Every lot with units in it on these shelves, and what is promised there. */
	readonly shelves: Shelves;
	/** These lots. */
	readonly fgIds: Set<string>;
	/** These batches of a shelf, if they exist. */
	readonly batches: { readonly formulaId: string; readonly poolId: number; readonly batchNumber: string }[];
	/** Units are brought into these lots by their id. */
	readonly broughtInto: Set<string>;
	/** Every lot of the formulas that these lots are of: units can be picked again from them. */
	readonly siblingsOf: Set<string>;
	/** What the lines of a command mean in the catalogue of this batch, by command. */
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

/** What else must be locked, when a batch begins again. */
export type MoreStock = Pick<StockNeeds, "shelves" | "fgIds">;

export function addMore(needs: MoreStock, { shelves, fgIds }: MoreStock): void {
	for (const [formulaId, pools] of shelves) addShelves(needs.shelves, formulaId, pools);
	for (const fgId of fgIds) needs.fgIds.add(fgId);
}
