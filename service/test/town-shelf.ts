import { expect } from "vitest";
import { openStockEngine } from "../src/assembly/engine.ts";
import { isRefusal } from "../src/ground/lib/refusal.ts";
import { createCatalogCache } from "../src/inventory/catalog/cache.ts";
import { openTestDatabase } from "./house.ts";
import { LINKS } from "./links.ts";
import { settleTowns } from "./model/settle-town.ts";
import { makeTown } from "./model/town.ts";

const origin = { actor: "operator:test", requestId: null };

export type TownShelf = Awaited<ReturnType<typeof openTownShelf>>;

/** A database with one town, and an engine on it: lots of its formula F0 and holds on them, each with a name. */
export async function openTownShelf() {
	const database = await openTestDatabase();
	const openEngine = () =>
		openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
	const engine = openEngine();
	const town = makeTown("shelf");
	await settleTowns(database.db, [town]);
	return {
		database,
		engine,
		/** One more engine, which its caller closes. */
		openEngine,
		town,
		async receive(name: string, units: number, expiresOn: string): Promise<void> {
			const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: name, expiresOn, receivedOn: null, units };
			const answer = await engine.execute({ kind: "receive", origin, newFgId: town.id(name), ...lot });
			expect(isRefusal(answer)).toBe(false);
		},
		async reserve(name: string, qty = 1): Promise<void> {
			const lines = [{ sku: `${town.name}-one`, qty, brandCode: undefined }];
			const common = { origin, caller: town.callers.acme, lines, ttlMinutes: 30, externalRef: null };
			const answer = await engine.execute({ kind: "reserve", newToken: town.id(name), ...common });
			expect(isRefusal(answer)).toBe(false);
		},
		async close(): Promise<void> {
			await engine.close();
			await database.close();
		},
	};
}
