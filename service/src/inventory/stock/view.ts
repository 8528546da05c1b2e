import type { Countable } from "./lot.ts";

/** Stock of some shelves at one instant, locked (a book) or not; counting and picking read only this. */
export interface StockView<L extends Countable = Countable> {
	/** The current day in the operator's time zone, YYYY-MM-DD. */
	readonly today: string;
	/** Lots with any physical units, in picking order if the view is used for picking. */
	lots(formulaId: string, poolId: number): readonly L[];
	/** Promised units: accepted demand without bound units, including the safety buffer. */
	promised(formulaId: string, poolId: number): number;
}
