import type { Countable } from "./lot.ts";

/**
 * Stock of some formulas in some pools at one instant: locked (a book) or only looked at. Counting and picking read
 * nothing else.
 */
export interface StockView<L extends Countable = Countable> {
	/** The day in the operator's time zone, YYYY-MM-DD. */
	readonly today: string;
	/** Lots with anything physically in them; a view that is picked from gives them in picking order. */
	lots(formulaId: string, poolId: number): readonly L[];
	/** Accepted demand without units bound to it, safety buffer included. Units. */
	promised(formulaId: string, poolId: number): number;
}
