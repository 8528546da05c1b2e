import { replace, type Want } from "./allocate.ts";
import type { BookWithStock } from "./book.ts";
import type { StockKind } from "./kind.ts";
import { type Cause, move, type Origin } from "./move.ts";
import { addShelves } from "./shelves.ts";

/** Records units that left without a hold: free units become shipped ones. */
export interface DrawDownCommand {
	readonly kind: "drawDown";
	readonly origin: Origin;
	/** The reference that they were shipped under, for the ledger. */
	readonly reference: string;
	/** Units by formula, each with the pools to draw on, in order. */
	readonly wants: readonly Want[];
}

export interface DrawnDown {
	readonly drawn: readonly DrawnUnits[];
	/** For each want, the units that no lot could supply. */
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
 * Takes as many units as there are, first expired first out, pool by pool in the order of each want. Promises are
 * ignored because the goods are gone; units bound to holds stay bound. The shortfall is returned; no bucket falls below
 * 0.
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
		// have the transaction check whether a lot was added while the batch waited for its locks
		if (left > 0) addShelves(stock.shortShelves, want.formulaId, want.pools);
		return left;
	});
	return { drawn, missing };
}
