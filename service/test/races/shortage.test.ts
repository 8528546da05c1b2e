import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executeStockIn, openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import type { ReceiveCommand } from "../../src/inventory/stock/receive.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, POOLS, type Town } from "../model/town.ts";

/*
 * The statement that locks lots sees the shelves as of its start. Here a reserve waits for a lot that another
 * transaction has locked, and that transaction receives a new lot before it commits.
 */

const origin = { actor: "operator:test", requestId: null };
const settings = { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS };
let database: TestDatabase;
let engine: StockEngine;
let towns = 0;

beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, settings);
});
afterAll(async () => {
	await engine.close();
	await database.close();
});

const receipt = (town: Town, formula: string, lot: string, units: number): ReceiveCommand => ({
	kind: "receive",
	origin,
	newFgId: town.id(lot),
	formulaId: town.id(formula),
	poolId: POOLS.ACME,
	batchNumber: lot,
	expiresOn: null,
	receivedOn: null,
	units,
});

const isWaiting = async (): Promise<boolean> => {
	const { rows } = await database.db.query<{ n: number }>(
		`select count(*)::int as n from pg_stat_activity
		  where datname = current_database() and application_name = 'holdfast engine' and wait_event_type = 'Lock'`,
	);
	return (rows[0]?.n ?? 0) > 0;
};

/** A reserve of 2 kits, of 1 F0 and 2 F1 each, begun while all lots are locked and `meanwhile` is received. */
async function reserveMeanwhile(meanwhile: { formula: string; units: number }): Promise<string> {
	const town = makeTown(`s${++towns}`);
	await settleTowns(database.db, [town]);
	await engine.execute(receipt(town, "F0", "first", 2));
	await engine.execute(receipt(town, "F1", "second", 3));
	const other = await database.db.take();
	try {
		await other.query("begin");
		const lots = ["first", "second"].map((lot) => town.id(lot));
		await other.query("select from lot where fg_id = any($1::uuid[]) order by fg_id for update", [lots]);
		const reserved = engine.execute({
			kind: "reserve",
			origin,
			caller: town.callers.acme,
			newToken: town.id("hold"),
			lines: [{ sku: `${town.name}-kit`, qty: 2, brandCode: undefined }],
			ttlMinutes: 30,
			externalRef: null,
		});
		await expect.poll(isWaiting).toBe(true);
		const third = receipt(town, meanwhile.formula, "third", meanwhile.units);
		await executeStockIn(settings)(other as unknown as Query, [third]);
		await other.query("commit");
		const answer = await reserved;
		return isRefusal(answer) ? answer.refusal : "granted";
	} finally {
		other.release();
	}
}

describe("A reserve that waits for a lot", () => {
	it("is granted when what it lacked came to the shelf meanwhile", async () => {
		expect(await reserveMeanwhile({ formula: "F1", units: 1 })).toBe("granted");
	});

	it("is refused when none of what it lacked came", async () => {
		expect(await reserveMeanwhile({ formula: "F2", units: 9 })).toBe("no_inventory");
	});

	it("is refused when units came of what it had enough of", async () => {
		expect(await reserveMeanwhile({ formula: "F0", units: 9 })).toBe("no_inventory");
	});
});
