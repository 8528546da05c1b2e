import { type ExecuteNumberedIn, executeStockIn } from "../src/assembly/engine.ts";
import { createCatalogCache } from "../src/inventory/catalog/cache.ts";
import { LINKS } from "./links.ts";

/** The engine inside the test's transaction, with days in UTC. */
export const executeIn: ExecuteNumberedIn = (tx, commands, numbered, more) =>
	executeStockIn(tx, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS }, commands, numbered, more);
