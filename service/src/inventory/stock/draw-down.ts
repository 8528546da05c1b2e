import { replace, type Want } from "./allocate.ts";
import type { BookWithStock } from "./book.ts";
import type { StockKind } from "./kind.ts";
import { type Cause, move, type Origin } from "./move.ts";
import { addShelves } from "./shelves.ts";

/** Units left the house without a hold: free units become shipped ones. */
export interface DrawDownCommand {
	readonly kind: "drawDown";
	readonly origin: Origin;
	/** What they were shipped under, as the ledger names it. */
	readonly reference: string;
	/** Units by formula, each with the pools to draw on, in order. */
	readonly wants: readonly Want[];
}

export interface DrawnDown {
	readonly drawn: readonly DrawnUnits[];
	/** Units of each want that no lot has. */
	readonly missing: readonly number[];
}

export interface DrawnUnits {
	readonly fgId: string;
	readonly formulaId: string;
	readonly poolId: number;
	readonly units: number;
}

export const drawDown: StockKind<DrawDownCommand, DrawnDown> = {
	looksUp: true,
	needs(needs, { wants }) {
		for (const { formulaId, pools } of wants) addShelves(needs.shelves, formulaId, pools);
	},
	decide: decideDrawDown,
	weigh: ({ wants }) => wants.length,
	identities: ({ reference }) => [reference],
};

/**
 * Takes what there is, first expired first out, pool by pool in the order of each want, whatever is promised: the goods
 * are gone. Units that holds have stay theirs. What is not there is answered, never taken below 0.
 */
function decideDrawDown({ stock }: BookWithStock, { reference, wants, origin }: DrawDownCommand): DrawnDown {
	const why: Cause = { cause: "draw_down", causeId: reference, origin };
	const drawn: DrawnUnits[] = [];
	const missing = wants.map((want) => {
		let left = want.units;
		for (const { lot, poolId, units } of replace(stock, want)) {
			move(stock, lot, "available", "shipped", units, why);
			drawn.push({ fgId: lot.fgId, formulaId: want.formulaId, poolId, units });
			left -= units;
		}
		// did a lot come while the batch waited for its locks?
		if (left > 0) addShelves(stock.shortShelves, want.formulaId, want.pools);
		return left;
	});
	return { drawn, missing };
}
