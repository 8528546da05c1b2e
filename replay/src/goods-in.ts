import type { Pool } from "./books.ts";

/**
 * The batch number of returned goods, and of goods made for orders that lacked them: one for each pool, so that it
 * identifies the pool on a box.
 */
const batchOf = (pool: Pool): string => `RETURNS-${pool ?? "SHARED"}`;

export interface ReturnsLot {
	readonly formula: string;
	readonly brand_code: Pool;
	readonly batch_number: string;
	/** All units returned so far: an import receives the difference. */
	readonly units: number;
}

/** Returned goods that wait to be received by the operator, through `holdfast import`. */
export class GoodsIn {
	readonly #lots = new Map<string, { formula: string; pool: Pool; booked: number; waiting: number }>();

	add(formula: string, pool: Pool, units: number): void {
		const key = `${formula} ${pool ?? ""}`;
		const lot = this.#lots.get(key) ?? { formula, pool, booked: 0, waiting: 0 };
		lot.waiting += units;
		this.#lots.set(key, lot);
	}

	/**
	 * Passes the waiting goods to `receive`, which must succeed or throw, and then to `booked`, lot by lot. Goods added
	 * meanwhile wait for the next call.
	 */
	async receive(
		receive: (lots: ReturnsLot[]) => Promise<void>,
		booked: (formula: string, pool: Pool, units: number) => void,
	): Promise<void> {
		const due = [...this.#lots.values()].filter((lot) => lot.waiting > 0).map((lot) => ({ lot, units: lot.waiting }));
		if (due.length === 0) return;
		for (const { lot, units } of due) {
			lot.waiting -= units;
			lot.booked += units;
		}
		await receive(
			due.map(({ lot }) => ({
				formula: lot.formula,
				brand_code: lot.pool,
				batch_number: batchOf(lot.pool),
				units: lot.booked,
			})),
		);
		for (const { lot, units } of due) booked(lot.formula, lot.pool, units);
	}
}
