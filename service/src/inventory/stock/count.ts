import type { Component } from "../catalog/sku.ts";
import { type Countable, inDate } from "./lot.ts";

/** Units of one formula, summed over the pools a key draws from. */
export interface FormulaCount {
	readonly available: number;
	readonly promised: number;
	/** Units that one reserve would be granted now; never below 0. */
	readonly atp: number;
}

/** Kits of one SKU over the pools a key draws from (settlements, section 4). */
export interface SkuCount {
	readonly available_qty: number;
	readonly atp_qty: number;
	readonly promised_qty: number;
	readonly backorder_qty: number;
}

export const NO_COUNT: SkuCount = { available_qty: 0, atp_qty: 0, promised_qty: 0, backorder_qty: 0 };

/** Free, in-date units of a formula in these pools. `neededUntil`: only lots still in date that day. */
export function availableUnits(
	view: StockView,
	formulaId: string,
	pools: readonly number[],
	neededUntil?: string,
): number {
	let units = 0;
	for (const poolId of pools) {
		for (const lot of view.lots(formulaId, poolId)) {
			if (inDate(lot, view.today, neededUntil)) units += lot.available;
		}
	}
	return units;
}

/** Units in date already bound to holds and orders. */
export function boundUnits(
	view: StockView<Countable & { readonly bound: number }>,
	formulaId: string,
	pools: readonly number[],
): number {
	let units = 0;
	for (const poolId of pools) {
		for (const lot of view.lots(formulaId, poolId)) if (inDate(lot, view.today)) units += lot.bound;
	}
	return units;
}

export function promisedUnits(view: StockView, formulaId: string, pools: readonly number[]): number {
	let units = 0;
	for (const poolId of pools) units += view.promised(formulaId, poolId);
	return units;
}

export function countFormula(view: StockView, formulaId: string, pools: readonly number[]): FormulaCount {
	const available = availableUnits(view, formulaId, pools);
	const promised = promisedUnits(view, formulaId, pools);
	return { available, promised, atp: Math.max(0, available - promised) };
}

/** The number of kits that the component with the fewest units allows; `units` returns a component's units. */
export function wholeKits<C extends { readonly perKit: number }>(
	components: readonly C[],
	units: (component: C) => number,
): number {
	let kits = Number.POSITIVE_INFINITY;
	for (const component of components) kits = Math.min(kits, Math.floor(units(component) / component.perKit));
	return kits === Number.POSITIVE_INFINITY ? 0 : kits;
}

export function countSku(view: StockView, components: readonly Component[], pools: readonly number[]): SkuCount {
	const counts = components.map(({ formula, perKit }) => ({
		perKit,
		...countFormula(view, formula.formulaId, pools),
	}));
	const available_qty = wholeKits(counts, (count) => count.available);
	const atp_qty = wholeKits(counts, (count) => count.atp);
	let backorder_qty = 0; // kits promised beyond stock
	for (const { available, promised, perKit } of counts) {
		backorder_qty = Math.max(backorder_qty, Math.ceil(Math.max(0, promised - available) / perKit));
	}
	return { available_qty, atp_qty, promised_qty: available_qty - atp_qty + backorder_qty, backorder_qty };
}

/** The soonest expiry among in-date lots with free units, or null. */
export function earliestExpiry(
	view: StockView,
	components: readonly Pick<Component, "formula">[],
	pools: readonly number[],
): string | null {
	let earliest: string | null = null;
	for (const { formula } of components) {
		for (const poolId of pools) {
			for (const lot of view.lots(formula.formulaId, poolId)) {
				if (lot.available === 0 || lot.expiresOn === null || !inDate(lot, view.today)) continue;
				if (earliest === null || lot.expiresOn < earliest) earliest = lot.expiresOn;
			}
		}
	}
	return earliest;
}

/** Stock of some shelves at one instant, locked (a book) or not; counting and picking read only this. */
export interface StockView<L extends Countable = Countable> {
	/** The current day in the operator's time zone, YYYY-MM-DD. */
	readonly today: string;
	/** Lots with any physical units, in picking order if the view is used for picking. */
	lots(formulaId: string, poolId: number): readonly L[];
	/** Promised units: accepted demand without bound units, including the safety buffer. */
	promised(formulaId: string, poolId: number): number;
}
