import { availableUnits, promisedUnits, type StockView } from "./count.ts";
import { inDate, type Pickable } from "./lot.ts";

/** Units wanted of one formula, from these pools in this order. */
export interface Want {
	readonly formulaId: string;
	readonly units: number;
	readonly pools: readonly number[];
	/** YYYY-MM-DD, when the units stay set aside longer than a day: only lots still in date then are picked. */
	readonly neededUntil?: string | undefined;
}

/** Units of one lot that answer part of a want. */
export interface LotPick<L extends Pickable> {
	readonly lot: L;
	readonly poolId: number;
	readonly units: number;
}

/** Nothing was picked: this want asks for more than the pools can promise. */
export interface Shortage {
	/** Index of the want. */
	readonly short: number;
	/** Units one reserve could have had, after the wants before it. */
	readonly atp: number;
}

export const isShortage = (outcome: object): outcome is Shortage => "short" in outcome;

/**
 * Picks every want or none: brand pool first, then shared, inside a pool first expired first out (settlements, section
 * 5). What is promised elsewhere is left alone, counted over the pools together. Wants are met in order, each seeing
 * what is left by those before, so demand for the same units is summed before it is compared. Pure: the caller moves
 * the units.
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

/**
 * Picks what there is, up to the want, whatever is promised: for units already granted whose lot was lost, or already
 * shipped.
 */
export function replace<L extends Pickable>(view: StockView<L>, want: Want): LotPick<L>[] {
	return pickUnits(view, want, new Map());
}

/** The same for several wants that draw on the same lots. */
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
