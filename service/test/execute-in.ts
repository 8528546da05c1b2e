import { executeStockIn } from "../src/assembly/engine.ts";
import { createCatalogCache } from "../src/inventory/catalog/cache.ts";
import type { ExecuteIn } from "../src/upkeep/import/receive-lots.ts";
import { LINKS } from "./links.ts";

/** The engine inside a transaction of the test's, days in UTC. */
export const executeIn: ExecuteIn = (tx, commands, numbered) =>
	executeStockIn(tx, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS }, commands, numbered);
