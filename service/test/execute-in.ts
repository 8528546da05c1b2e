import { type ExecutesStockIn, executeStockIn } from "../src/assembly/engine.ts";
import { createCatalogCache } from "../src/inventory/catalog/cache.ts";
import { LINKS } from "./links.ts";

/** The engine inside the test's transaction, with days in UTC. */
export const executeIn: ExecutesStockIn = (tx, commands, more, numbered) =>
	executeStockIn({ catalog: createCatalogCache(), timeZone: "UTC", links: LINKS })(tx, commands, more, numbered);
