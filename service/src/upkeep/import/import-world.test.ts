import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { executeIn } from "../../../test/execute-in.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { importWorld } from "../../../test/import-world.ts";
import { openBareSandbox, openSandbox } from "../../../test/open-sandbox.ts";
import { inOneGo } from "../../ground/lib/paced.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { verify } from "../ledger/verify.ts";
import { takeCsv } from "./csv.ts";
import { emptyWorld, type World } from "./entries.ts";
import { takeJson } from "./read-world.ts";
import { ImportRefused } from "./refused.ts";

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [
		{ code: "F1", name: "First", status: "active" },
		{ code: "F2", name: "Second", status: "active" },
	],
	products: [{ slug: "first", name: "First product" }],
	skus: [
		{ sku: "A-1", name: "One", product: "first", kind: "single", components: [{ formula: "F1", per_kit: 1 }] },
		{
			sku: "A-K",
			name: "Kit",
			kind: "kit",
			components: [
				{ formula: "F1", per_kit: 1 },
				{ formula: "F2", per_kit: 2 },
			],
		},
		{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
	],
	lots: [
		{ formula: "F1", brand_code: "ACME", batch_number: "B1", expires_on: "2090-01-31", units: 100 },
		{ formula: "F1", brand_code: null, batch_number: "B2", units: 50 },
	],
	demand: [{ formula: "F1", brand_code: "ACME", units: 5, reference: "PO-7" }],
	buffers: [{ formula: "F2", brand_code: null, units: 3 }],
	partners: [{ name: "Shop" }],
	keys: [
		{
			name: "web",
			partner: "Shop",
			environment: "live",
			brand_code: "ACME",
			preset: "self_ship",
			shared_pool: true,
			max_held_units: 70,
		},
		{
			name: "try",
			partner: "Shop",
			environment: "sandbox",
			brand_code: null,
			scopes: ["atp.check"],
			shared_pool: false,
		},
	],
};
type WorldFile = { [K in keyof World]: Record<string, unknown>[] };

function read(file: unknown): World {
	const world = emptyWorld();
	expect(takeJson(world, "world.json", JSON.stringify(file))).toEqual([]);
	return world;
}
const changed = (change: (world: WorldFile) => void): World => {
	const copy = structuredClone(WORLD) as unknown as WorldFile;
	change(copy);
	return read(copy);
};

describe("holdfast import", () => {
	let database: TestDatabase;
	const settings = {
		executeIn,
		openSandbox: openBareSandbox,
		ring: parseKeyRing(newKeyRingEntry()),
		actor: "operator:ada",
	};
	const run = (world: World, dryRun = false) => importWorld(database.db, settings, world, { dryRun });
	const one = async <R extends object>(text: string): Promise<R> => (await database.db.query<R>(text)).rows[0] as R;
	const refusedFor = async (world: World): Promise<string> => {
		const error = await run(world).then(
			() => new Error("imported"),
			(refused) => refused as Error,
		);
		expect(error).toBeInstanceOf(ImportRefused);
		return error.message;
	};

	beforeAll(async () => {
		database = await openTestDatabase();
	});
	beforeEach(async () => {
		await database.close();
		database = await openTestDatabase();
	});
	afterAll(() => database.close());

	it("opens the sandbox of a partner with its first sandbox key, stocked, and numbers the receipts with its own", async () => {
		await importWorld(database.db, { ...settings, openSandbox }, read(WORLD));
		const { rows } = await database.db.query(
			`select f.code, l.available from lot l join formula f using (formula_id) join api_key k using (pool_id)
			  where k.name = 'try' and f.code in ('SBX-LOW', 'SBX-HELD') order by f.code`,
		);
		expect(rows).toEqual([
			{ code: "SBX-HELD", available: 1_000 },
			{ code: "SBX-LOW", available: 3 },
		]);
		expect(
			await one("select count(*) = max(version) and count(*) = (select count(*) from lot) as whole from receipt"),
		).toEqual({ whole: true });
		const again = await importWorld(database.db, { ...settings, openSandbox }, read(WORLD));
		expect([again.created, again.changed].flatMap((counts) => Object.values(counts))).toEqual(Array(18).fill(0));
		expect((await verify(database.db)).differences).toEqual([]);
	});

	it("makes the whole world once: a second run changes nothing and shows no token again", async () => {
		const first = await run(read(WORLD));
		expect(first.created).toEqual({
			brands: 1,
			formulas: 2,
			products: 1,
			skus: 3,
			lots: 2,
			demand: 1,
			buffers: 1,
			partners: 1,
			keys: 2,
		});
		expect(first.keys.map(({ token }) => token)).toEqual([
			expect.stringMatching(/^pk_hf_live_\w+:sk_hf_live_\w+$/),
			expect.stringMatching(/^pk_hf_sandbox_\w+:sk_hf_sandbox_\w+$/),
		]);
		expect(await one("select max_held_units from api_key where name = 'web'")).toEqual({ max_held_units: 70 });
		const epoch = await one("select version from catalog_epoch");
		const second = await run(read(WORLD));
		expect(second.unchanged).toEqual(first.created);
		expect(Object.values(second.created).concat(Object.values(second.changed))).toEqual(Array(18).fill(0));
		expect(second.formulas).toEqual(first.formulas);
		expect(second.lots).toEqual(first.lots);
		expect(second.keys).toEqual(first.keys.map((key) => ({ ...key, token: null })));
		expect(await one("select version from catalog_epoch")).toEqual(epoch);
	});

	it("receives every unit through the ledger", async () => {
		const { lots } = await run(read(WORLD));
		const { rows } = await database.db.query(
			"select fg_id, from_bucket, to_bucket, units, cause, actor from unit_move order by seq",
		);
		expect(rows).toEqual([
			{ fg_id: lots[0]?.fg_id, ...RECEIPT, units: 100 },
			{ fg_id: lots[1]?.fg_id, ...RECEIPT, units: 50 },
		]);
	});

	it("a dry run tells what would change, and changes nothing", async () => {
		const told = await run(read(WORLD), true);
		expect(told.dry_run).toBe(true);
		expect(told.created).toMatchObject({ skus: 3, lots: 2, keys: 2 });
		expect(told.lots[0]?.fg_id).toBeNull();
		expect(told.keys[0]).toMatchObject({ key_id: null, token: null });
		expect(
			await one("select (select count(*) from sku) + (select count(*) from lot) + (select count(*) from api_key) as n"),
		).toEqual({ n: 0 });
		await run(read(WORLD));
		const again = await run(
			changed(({ lots }) => Object.assign(lots[0] as object, { units: 130 })),
			true,
		);
		expect(again.changed).toMatchObject({ lots: 1, skus: 0 });
		expect(await one("select sum(received) as units from lot")).toEqual({ units: 150 });
	});

	it("a lot with more units receives the difference, with fewer or another expiry it is refused", async () => {
		await run(read(WORLD));
		const more = await run(changed(({ lots }) => Object.assign(lots[0] as object, { units: 130 })));
		expect(more.changed.lots).toBe(1);
		expect(await one("select received, available from lot where batch_number = 'B1'")).toEqual({
			received: 130,
			available: 130,
		});
		expect(await refusedFor(changed(({ lots }) => Object.assign(lots[0] as object, { units: 129 })))).toMatch(
			/^world\.json \/lots\/0\/units: .* 130 units, more than 129/,
		);
		expect(
			await refusedFor(
				changed(({ lots }) => Object.assign(lots[0] as object, { units: 130, expires_on: "2090-02-01" })),
			),
		).toMatch(/^world\.json \/lots\/0\/expires_on: .*2090-01-31, not 2090-02-01/);
	});

	it("knows the units that imports received, those before the ledger named who imported too, and no others", async () => {
		await run(read(WORLD));
		const fewer = changed(({ lots }) => Object.assign(lots[0] as object, { units: 99 }));
		// as an earlier version wrote them
		await database.db.query("alter table unit_move disable trigger unit_move_append_only");
		await database.db.query("update unit_move set cause = 'receive', actor = 'operator:import'");
		expect(await refusedFor(fewer)).toMatch(/100 units, more than 99/);
		// as `stock receive` writes them, by the same person
		await database.db.query("update unit_move set actor = 'operator:ada'");
		expect((await run(fewer)).unchanged.lots).toBe(2);
	});

	it("a lot whose expiry date is left out keeps its own, in JSON and CSV; one that is to expire never is refused", async () => {
		await run(read(WORLD));
		const lot = { formula: "F1", brand_code: "ACME", batch_number: "B1" };
		const expiry = "select received, expires_on::text from lot where batch_number = 'B1'";
		expect((await run(read({ lots: [{ ...lot, units: 140 }] }))).changed.lots).toBe(1);
		expect(await one(expiry)).toEqual({ received: 140, expires_on: "2090-01-31" });
		const world = emptyWorld();
		const csv = "formula,brand_code,batch_number,expires_on,units\nF1,ACME,B1,,150\nF1,ACME,B1-new,,7\n";
		expect(inOneGo(takeCsv(world, "lots", "lots.csv", csv))).toEqual([]);
		await run(world);
		expect(await one(expiry)).toEqual({ received: 150, expires_on: "2090-01-31" });
		expect(await one("select expires_on from lot where batch_number = 'B1-new'")).toEqual({ expires_on: null });
		expect(await refusedFor(read({ lots: [{ ...lot, expires_on: null, units: 160 }] }))).toMatch(
			/expires_on: this lot expires 2090-01-31, not never/,
		);
	});

	it("is all or nothing: one bad entry at the end and nothing of the file is there", async () => {
		const world = changed(({ keys }) => keys.push({ ...keys[0], name: "third", partner: "Nobody" }));
		expect(await refusedFor(world)).toMatch(/^world\.json \/keys\/2\/partner: there is no partner "Nobody"/);
		expect(await one("select (select count(*) from sku) + (select count(*) from pool) as n")).toEqual({ n: 2 });
	});

	it("rolls back what was written when the engine refuses late", async () => {
		await run(read(WORLD));
		const tooMuch = changed(({ lots, skus }) => {
			(skus[0] as { name: string }).name = "Renamed";
			lots.push({ formula: "F2", brand_code: null, batch_number: "B3", units: 1_000_000_000 });
		});
		await database.db.query(`create function no_lots() returns trigger language plpgsql as
			$$ begin raise exception 'no room'; end $$`);
		await database.db.query("create trigger no_lots before insert on lot for each row execute function no_lots()");
		await expect(run(tooMuch)).rejects.toThrow("no room");
		expect(await one("select name from sku where sku = 'A-1'")).toEqual({ name: "One" });
	});

	it("replaces demand and buffers, and 0 units remove them", async () => {
		await run(read(WORLD));
		const replaced = await run(changed(({ demand }) => Object.assign(demand[0] as object, { units: 8 })));
		expect(replaced.changed.demand).toBe(1);
		expect(await one("select sum(units) as units from demand")).toEqual({ units: 8 });
		await run(
			changed(({ demand, buffers }) => {
				Object.assign(demand[0] as object, { units: 0 });
				Object.assign(buffers[0] as object, { units: 0 });
			}),
		);
		expect(await one("select (select count(*) from demand) + (select count(*) from safety_buffer) as n")).toEqual({
			n: 0,
		});
	});

	it("gives every changed row of the catalogue a number of its own above the last, the SKUs of a changed formula included", async () => {
		await run(read(WORLD));
		const before = await one<{ version: number }>("select version from catalog_epoch");
		await run(changed(({ formulas }) => Object.assign(formulas[1] as object, { status: "archived" })));
		const { rows } = await database.db.query("select sku, version > $1 as moved from sku order by sku", [
			before.version,
		]);
		expect(rows).toEqual([
			{ sku: "A-1", moved: false },
			{ sku: "A-K", moved: true },
			{ sku: "FEE", moved: false },
		]);
		expect(
			await one(
				"select version = (select max(version) from sku) as last, version > (select max(version) from formula) as above from catalog_epoch",
			),
		).toEqual({ last: true, above: true });
	});

	it("changes a recipe as a whole", async () => {
		await run(read(WORLD));
		const kit = [
			{ formula: "F2", per_kit: 3 },
			{ formula: "F1", per_kit: 1 },
		];
		const { changed: counts } = await run(changed(({ skus }) => Object.assign(skus[1] as object, { components: kit })));
		expect(counts.skus).toBe(1);
		const { rows } = await database.db.query(
			"select f.code, c.per_kit from sku_component c join formula f using (formula_id) where sku = 'A-K' order by position",
		);
		expect(rows).toEqual([
			{ code: "F2", per_kit: 3 },
			{ code: "F1", per_kit: 1 },
		]);
	});

	it("two imports at the same time make one world", async () => {
		const reports = await Promise.all([run(read(WORLD)), run(read(WORLD))]);
		expect(reports.map(({ created }) => created.skus)).toEqual(expect.arrayContaining([0, 3]));
		expect(await one("select sum(received) as units from lot")).toEqual({ units: 150 });
	});
});

const RECEIPT = { from_bucket: "received", to_bucket: "available", cause: "import", actor: "operator:ada" };
