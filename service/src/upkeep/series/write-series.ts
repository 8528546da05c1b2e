import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { selectUnitsByPool } from "../../inventory/stock/count-units-sql.ts";
import { addCounts, selectOpenOrders, writeSample } from "./sql.ts";
import type { SeriesValue, Tally } from "./tally.ts";

/** Adds what this node counted since the last call; if that fails, the next call adds it too. */
export async function writeSeries(db: Database, tally: Tally): Promise<void> {
	const counted = tally.take();
	if (counted.length === 0) return;
	try {
		await transaction(db, (tx) => addCounts(tx, counted));
	} catch (error) {
		tally.putBack(counted);
		throw error;
	}
}

/** Maximum number of pools with their own line; the others share one. */
const MOST_POOLS = 50;

/** Samples the states: open orders, and units by pool and state. */
export async function writeStates(db: Database, timeZone: string): Promise<void> {
	const orders = (await selectOpenOrders(db)).rows.map((row): SeriesValue => ({ name: "orders", ...row }));
	const units = (await selectUnitsByPool(db, timeZone, MOST_POOLS)).flatMap(
		({ pool, available, held, allocated, quarantined }) =>
			Object.entries({ available, held, allocated, quarantined }).map(
				([state, value]): SeriesValue => ({ name: "units", label: `${pool} ${state}`, value }),
			),
	);
	await transaction(db, (tx) => writeSample(tx, [...orders, ...units]));
}
