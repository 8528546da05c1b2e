import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase, type Query } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import type { CatalogRow } from "../../src/inventory/catalog/sql.ts";
import { type House, openHouse } from "../house.ts";

/** The changes of a lost import to the catalogue. */
const TABLES = ["catalog_epoch", "demand_epoch", "epoch_log", "formula", "sku", "sku_component"];
const NODES = [0, 1];

describe("A database that went back under running nodes", () => {
	let house: House;
	let token: string;
	beforeEach(async () => {
		house = await openHouse({ nodes: NODES.length });
		({ token } = await house.mint({ scopes: ["atp.check", "atp.reserve"] }));
		await house.stock({ OLD: 10 });
		for (const node of NODES) expect(await reserve("OLD", node)).toBe(201); // both have read the current catalogue
	});
	afterEach(() => house.close());

	const reserve = async (sku: string, node: number): Promise<number> =>
		(await house.call(token, "/api/v1/reserve", { node, body: { items: [{ sku, qty: 1 }] } })).status;
	const atp = async (sku: string, node: number): Promise<number> => {
		const { json } = await house.call(token, "/api/v1/check", { node, body: { items: [{ sku, qty: 1 }] } });
		expect(json).toHaveProperty("data");
		return json.data.items[0].atp_qty as number;
	};
	const version = async (): Promise<unknown> => (await house.db.query("select version from catalog_epoch")).rows;
	const save = async (): Promise<void> => {
		for (const table of TABLES) await house.db.query(`create table saved_${table} as table ${table}`);
	};
	/** Resets everything to the saved state. No trigger fires, as none does for a restore or a failover. */
	const restore = (): Promise<void> =>
		transaction(house.db, async (tx) => {
			await tx.query("set local session_replication_role = replica");
			for (const table of TABLES.toReversed()) await tx.query(`delete from ${table}`);
			for (const table of TABLES) await tx.query(`insert into ${table} table saved_${table}`);
		});
	/** The same by hand: the epoch's number is set back by a statement for which its triggers fire. */
	const undo = async (): Promise<void> => {
		const sku = "(select sku from sku where not exists (select from saved_sku s where s.sku = sku.sku))";
		await house.db.query(`delete from sku_component where sku in ${sku}`);
		await house.db.query(`delete from sku where sku in ${sku}`);
		await house.db.query("update catalog_epoch set version = (select version from saved_catalog_epoch)");
	};

	it.each([
		["restored", restore],
		["whose import was undone in SQL", undo],
	])(
		"%s is believed by every node at once, and again when the next import takes the lost number",
		async (_, goBack) => {
			await save();
			await house.stock({ LOST: 10 });
			const lostVersion = await version();
			for (const node of NODES) expect(await reserve("LOST", node)).toBe(201);
			await goBack();
			for (const node of NODES) {
				expect(await reserve("LOST", node)).toBe(422);
				expect(await reserve("OLD", node)).toBe(201);
				expect(await atp("OLD", node)).toBeGreaterThan(0);
			}
			await house.stock({ LOST: 10 });
			for (const node of NODES) expect(await reserve("LOST", node)).toBe(201);
			await goBack();
			await house.stock({ OTHER: 10 });
			expect(await version()).toEqual(lostVersion);
			for (const node of NODES) {
				expect(await atp("OTHER", node)).toBeGreaterThan(0);
				expect(await reserve("LOST", node)).toBe(422);
				expect(await reserve("OTHER", node)).toBe(201);
			}
		},
	);

	it("promises what its demand says now, whatever number the demand had", async () => {
		await save();
		const demand = (units: number) => ({
			demand: [{ formula: "F-OLD", brand_code: null, reference: "PO", units }],
		});
		await house.importWorld(demand(8));
		for (const node of NODES) expect(await atp("OLD", node)).toBe(0);
		await house.db.query("delete from demand");
		await restoreEpoch(house.db, "demand_epoch");
		for (const node of NODES) expect(await atp("OLD", node)).toBe(8);
		await house.importWorld(demand(3));
		for (const node of NODES) expect(await atp("OLD", node)).toBe(5);
	});
});

const restoreEpoch = (db: House["db"], table: string): Promise<void> =>
	transaction(db, async (tx) => {
		await tx.query("set local session_replication_role = replica");
		await tx.query(`delete from ${table}`);
		await tx.query(`insert into ${table} table saved_${table}`);
	});

describe("A catalogue in memory", () => {
	it("is read in one snapshot, over however many connections", async () => {
		const house = await openHouse();
		const reads = openDatabase(house.url, { max: 4 });
		const change = async (n: number): Promise<void> => {
			await house.importWorld({
				formulas: [{ code: `F${n}`, name: "F", status: "active" }],
				skus: [{ sku: "CHANGING", name: `${n}`, kind: "single", components: [{ formula: `F${n}`, per_kit: 1 }] }],
			});
		};
		try {
			let changing = true;
			const reader = async (): Promise<number> => {
				let looks = 0;
				for (const cache = createCatalogCache(); changing; looks++) {
					const { skus, version } = await cache.read(reads); // throws when a SKU is newer than its formula
					expect(skus.get("CHANGING")?.version ?? 0).toBeLessThanOrEqual(version);
				}
				return looks;
			};
			const readers = [reader(), reader(), reader()];
			for (let n = 0; n < 100; n++) await change(n);
			changing = false;
			for (const looks of await Promise.all(readers)) expect(looks).toBeGreaterThan(0);
		} finally {
			await reads.close();
			await house.close();
		}
	});

	it("reads only what changed when it stands in the database's own past, and everything when it does not", async () => {
		const house = await openHouse();
		try {
			const cache = createCatalogCache();
			const watched = watch(house.db);
			await cache.read(watched.db); // those of the sandbox
			await house.stock({ A: 1, B: 1 });
			await house.stock({ C: 1 });
			const read = async (): Promise<string[]> => {
				await cache.read(watched.db);
				return watched.rows().filter((name) => name.length === 1);
			};
			expect(await read()).toEqual(["A", "B", "C"]);
			expect(await read()).toEqual([]);
			await house.stock({ D: 1 });
			await house.stock({ E: 1 });
			expect(await read()).toEqual(["D", "E"]);
			await house.db.query("update catalog_epoch set version = version - 1");
			expect(await read()).toEqual(["A", "B", "C", "D", "E"]);
			expect(cache.guess().skus.has("SBX-PLENTY")).toBe(true);
		} finally {
			await house.close();
		}
	});
});

/** Returns the SKUs in the last answer. */
function watch(db: Query): { db: Query; rows: () => string[] } {
	let rows: string[] = [];
	const query = (async (...args: Parameters<Query["query"]>) => {
		const answer = await db.query(...args);
		rows = (answer.rows as unknown as CatalogRow[]).flatMap(([kind, body]) => (kind === "sku" ? [body.sku] : []));
		return answer;
	}) as Query["query"];
	return { db: { query }, rows: () => rows.toSorted() };
}
