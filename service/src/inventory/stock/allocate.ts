import { availableUnits, promisedUnits, type StockView } from "./count.ts";
import { inDate, type Pickable } from "./lot.ts";

/** Units wanted of one formula, from these pools in this order. */
export interface Want {
	readonly formulaId: string;
	readonly units: number;
	readonly pools: readonly number[];
	/** YYYY-MM-DD, if the units stay set aside longer than a day: only lots still in date on that day are picked. */
	readonly neededUntil?: string | undefined;
}

/** Units of one lot picked for part of a want. */
export interface LotPick<L extends Pickable> {
	readonly lot: L;
	readonly poolId: number;
	readonly units: number;
}

/** Nothing was picked, because a want exceeds what its pools can promise. */
export interface Shortage {
	/** Index of the want. */
	readonly short: number;
	/** Units that one reserve could get after the preceding wants. */
	readonly atp: number;
}

export const isShortage = (outcome: object): outcome is Shortage => "short" in outcome;

/**
 * Picks for every want or for none: the brand's pool before the shared pool, and within a pool first expired, first out
 * (settlements, section 5). A want is granted only from the units that are free in all its pools together, less those
 * promised elsewhere. Each want sees what the wants before it left. Pure: the caller moves the units.
 */
export function allocate<L extends Pickable>(view: StockView<L>, wants: readonly Want[]): LotPick<L>[][] | Shortage {
	const taken = new Map<string, number>();
	const outcome: LotPick<L>[][] = [];
	for (const [index, want] of wants.entries()) {
		const atp = atpFor(view, want, taken);
		if (want.units > atp) return { short: index, atp };
		outcome.push(pickUnits(view, want, taken));
	}
	return outcome;
}

/** Picks as much as there is, ignoring promises: for granted units whose lot was lost, and for shipped units. */
export function replace<L extends Pickable>(view: StockView<L>, want: Want): LotPick<L>[] {
	return pickUnits(view, want, new Map());
}

/** The same for several wants that may draw on the same lots. */
export function replaceAll<L extends Pickable>(view: StockView<L>, wants: readonly Want[]): LotPick<L>[][] {
	const taken = new Map<string, number>();
	return wants.map((want) => pickUnits(view, want, taken));
}

function atpFor<L extends Pickable>(
	view: StockView<L>,
	{ formulaId, pools, neededUntil }: Want,
	taken: ReadonlyMap<string, number>,
): number {
	let gone = 0;
	if (taken.size > 0) {
		for (const poolId of pools) {
			for (const lot of view.lots(formulaId, poolId)) {
				if (inDate(lot, view.today, neededUntil)) gone += taken.get(lot.fgId) ?? 0;
			}
		}
	}
	const free = availableUnits(view, formulaId, pools, neededUntil) - gone;
	return Math.max(0, free - promisedUnits(view, formulaId, pools));
}

function pickUnits<L extends Pickable>(view: StockView<L>, want: Want, taken: Map<string, number>): LotPick<L>[] {
	const picks: LotPick<L>[] = [];
	let left = want.units;
	for (const poolId of want.pools) {
		for (const lot of view.lots(want.formulaId, poolId)) {
			if (left === 0) return picks;
			if (!inDate(lot, view.today, want.neededUntil)) continue;
			const before = taken.get(lot.fgId) ?? 0;
			const units = Math.min(left, lot.available - before);
			if (units <= 0) continue;
			taken.set(lot.fgId, before + units);
			picks.push({ lot, poolId, units });
			left -= units;
		}
	}
	return picks;
}
