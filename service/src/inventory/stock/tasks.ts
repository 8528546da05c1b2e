import type { Task } from "../../ground/lib/task.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectUnitsByPool, type UnitsOfPool } from "./count-units-sql.ts";

/** Milliseconds between counts of all units for the metrics; each reads every non-empty lot. */
const COUNT_EVERY_MS = 60_000;
/** Maximum number of pools with their own label in the metrics; a deployment may have thousands of brands. */
const MOST_POOLS = 50;

export interface StockTaskDeps {
	readonly db: Query;
	readonly config: { readonly timeZone: string };
	readonly noteUnits: (units: readonly UnitsOfPool[]) => void;
}

export const STOCK_TASKS: readonly Task<StockTaskDeps>[] = [
	{
		name: "count_units",
		everyMs: COUNT_EVERY_MS,
		failure: "the units were not counted",
		run: async ({ db, config, noteUnits }) => noteUnits(await selectUnitsByPool(db, config.timeZone, MOST_POOLS)),
	},
];
