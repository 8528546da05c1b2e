import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { audit } from "../../test/model/audit.ts";
import { settleTowns } from "../../test/model/settle-town.ts";
import { makeTown, POOLS, type PoolName, type Town } from "../../test/model/town.ts";
import { size } from "../../test/sizes.ts";
import type { Command } from "../assembly/commands.ts";
import { executeStockIn, openStockEngine, type StockEngine } from "../assembly/engine.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { verify } from "../ledger/verify.ts";
import { must } from "../lib/assert.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { clearDemand } from "../stock/clear-demand.ts";
import { setDemand } from "../stock/set-demand.ts";
import type { DrawIn } from "./draw-units.ts";
import { listDemand } from "./list-demand.ts";
import { listExceptions } from "./list-exceptions.ts";
import { listStores } from "./list-stores.ts";
import { noteCancelled } from "./note-cancelled.ts";
import { noteOpenOrder } from "./note-open-order.ts";
import type { Noted } from "./note-report.ts";
import { noteShipped } from "./note-shipped.ts";
import { removeStore } from "./remove-store.ts";
import { resolveException } from "./resolve-exception.ts";
import { retryExceptions } from "./retry-exceptions.ts";
import { setStore } from "./set-store.ts";
import { shipDemand } from "./ship-demand.ts";

const operator = { actor: "operator:test", requestId: null };
const stockSettings = () => ({ catalog: createCatalogCache(), timeZone: "UTC" });
const drawIn: DrawIn = (tx: Query, commands: readonly Command[]) => executeStockIn(tx, stockSettings(), commands);
const settings = { drawIn };
const EVERYTHING = { reference: null, formula: null, brand: null };

let database: TestDatabase;
let engine: StockEngine;
let town: Town;
let towns = 0;
let orders = 0;
/** The reference of the test's order, and as it is stored. */
let reference = "";
let full = "";

beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, stockSettings());
});
afterAll(async () => {
	await engine.close();
	await database.close();
});
beforeEach(async () => {
	town = makeTown(`t${++towns}`);
	await settleTowns(database.db, [town]);
	await setStore(database.db, settings, { store: "acme", brandCode: "ACME", shared: true }, operator);
	await setStore(database.db, settings, { store: "bolt", brandCode: "BOLT", shared: false }, operator);
	newOrder();
});

function newOrder(): void {
	reference = `${++orders}`;
	full = `label:${reference}`;
}
const at = (n: number): Date => new Date(Date.UTC(2026, 10, 1, 0, n));
const lines = (kits: Record<string, number>) =>
	Object.entries(kits).map(([sku, qty]) => ({ sku: `${town.name}-${sku}`, qty }));
const open = (n: number, kits: Record<string, number>, store = "acme") =>
	noteOpenOrder(database.db, settings, { source: "label", reference, store, modifiedAt: at(n), lines: lines(kits) });
const shipped = (n: number, kits: Record<string, number>, store: string | null = null) =>
	noteShipped(database.db, settings, { source: "label", reference, store, shippedAt: at(n), lines: lines(kits) });
const cancelled = (n: number) =>
	noteCancelled(database.db, settings, { source: "label", reference, modifiedAt: at(n) });

async function receive(name: string, units: number, pool: PoolName, expiresOn: string | null = null, formula = "F0") {
	const lot = {
		formulaId: town.id(formula),
		poolId: POOLS[pool],
		batchNumber: name,
		expiresOn,
		receivedOn: null,
		units,
	};
	const answer = await engine.execute({ kind: "receive", origin: operator, newFgId: town.id(name), ...lot });
	expect(isRefusal(answer)).toBe(false);
}
/** Units available and shipped of lots, by their names. */
async function lots(...names: string[]): Promise<Record<string, string>> {
	const { rows } = await database.db.query<{ fg_id: string; is: string }>(
		"select fg_id, available || '/' || shipped as is from lot where fg_id = any($1::uuid[])",
		[names.map((name) => town.id(name))],
	);
	return Object.fromEntries(names.map((name) => [name, rows.find(({ fg_id }) => fg_id === town.id(name))?.is ?? ""]));
}
const promised = async (of = full): Promise<string[]> =>
	(await listDemand(database.db, { ...EVERYTHING, reference: of }, 100)).items.map(
		({ source, formula, brandCode, units }) => `${source} ${units} ${formula.slice(town.name.length + 1)} ${brandCode}`,
	);
const exceptions = async (of = full): Promise<string[]> =>
	(await listExceptions(database.db, 1000)).items
		.filter((one) => one.reference === of)
		.map((one) => `${one.kind} ${one.promisedKits}/${one.shippedKits}/${one.missingUnits}`);
const exceptionId = async (): Promise<number> =>
	must(
		(await listExceptions(database.db, 1000)).items.find((one) => one.reference === full)?.exceptionId,
		"an exception",
	);
const done = (noted: Noted): Omit<Exclude<Noted, { refusal: string }>, "reference"> => {
	if (isRefusal(noted)) throw new Error(noted.message);
	const { reference: _, ...rest } = noted as Exclude<Noted, { refusal: string }>;
	return rest;
};
const nothingNew = { changed: false, drawnUnits: 0, missingUnits: 0, unsettled: 0 };

describe("An order that a label platform reports", () => {
	it("is promised while it is open, of the store's brand, and let go when it is cancelled", async () => {
		expect(done(await open(1, { one: 2, kit: 1, fee: 1 }))).toEqual({
			...{ changed: true, promisedUnits: 5, drawnUnits: 0, missingUnits: 0, unsettled: 0 },
		});
		expect((await promised()).sort()).toEqual(["label 2 F1 ACME", "label 3 F0 ACME"]);
		expect(done(await open(2, { one: 1 }))).toMatchObject({ promisedUnits: 1 });
		expect(await promised()).toEqual(["label 1 F0 ACME"]);
		expect(done(await cancelled(3))).toMatchObject({ changed: true, promisedUnits: 0 });
		expect(await promised()).toEqual([]);
	});

	it("is drawn down first expired first out, from the brand's stock and then from the shared stock, and the rest stays promised", async () => {
		await receive("late", 2, "ACME", "2090-01-01");
		await receive("early", 1, "ACME", "2089-01-01");
		await receive("shared", 9, "shared", "2031-01-01");
		await open(1, { one: 6 });
		expect(done(await shipped(2, { one: 4 }))).toMatchObject({ promisedUnits: 2, drawnUnits: 4, missingUnits: 0 });
		expect(await lots("early", "late", "shared")).toEqual({ early: "0/1", late: "0/2", shared: "8/1" });
		expect(await promised()).toEqual(["label 2 F0 ACME"]);
		expect(done(await shipped(3, { one: 6 }))).toMatchObject({ promisedUnits: 0, drawnUnits: 2 });
		expect(await lots("shared")).toEqual({ shared: "6/3" });
		const { rows } = await database.db.query(
			"select distinct actor, cause, from_bucket from unit_move where cause_id = $1",
			[full],
		);
		expect(rows).toEqual([{ actor: "system:label", cause: "draw_down", from_bucket: "available" }]);
	});

	it("changes nothing when a report comes twice, or an older one after a newer one", async () => {
		await receive("lot", 9, "ACME");
		await open(2, { one: 5 });
		await shipped(4, { one: 3 });
		const before = await database.db.query("select version from demand_epoch");
		expect(done(await open(2, { one: 5 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await open(1, { one: 50 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await cancelled(1))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await shipped(4, { one: 3 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await shipped(3, { one: 1 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(await lots("lot")).toEqual({ lot: "6/3" });
		expect((await database.db.query("select version from demand_epoch")).rows).toEqual(before.rows);
	});

	it("that is short draws what there is, never below 0, and what is missing can be drawn later, once", async () => {
		await receive("lot", 2, "BOLT");
		await receive("shared", 9, "shared");
		expect(done(await shipped(1, { one: 5 }, "bolt"))).toMatchObject({ drawnUnits: 2, missingUnits: 3 });
		expect(await lots("lot", "shared")).toEqual({ lot: "0/2", shared: "9/0" });
		expect(await exceptions()).toEqual(["shortage 0/0/3"]);
		expect(done(await shipped(1, { one: 5 }, "bolt"))).toMatchObject({ changed: false });
		await receive("more", 1, "BOLT");
		expect(done(await shipped(2, { one: 6 }))).toMatchObject({ drawnUnits: 1, missingUnits: 0 });
		await receive("again", 2, "BOLT");
		const retry = () => retryExceptions(database.db, settings, null, operator);
		expect(await retry()).toEqual({ references: 1, drawnUnits: 2, missingUnits: 1 });
		expect(await exceptions()).toEqual(["shortage 0/0/1"]);
		expect(await retry()).toEqual({ references: 1, drawnUnits: 0, missingUnits: 1 });
		await receive("last", 5, "BOLT");
		expect(await retryExceptions(database.db, settings, await exceptionId(), operator)).toMatchObject({
			drawnUnits: 1,
		});
		expect(await retry()).toEqual({ references: 0, drawnUnits: 0, missingUnits: 0 });
		expect(await lots("again", "last")).toEqual({ again: "0/2", last: "4/1" });
	});

	it("of an unknown SKU, or of one without a recipe, is an exception for that line alone, until the catalogue knows it", async () => {
		await receive("lot", 9, "ACME");
		await open(1, { one: 1, bare: 2, nope: 3 });
		expect((await exceptions()).sort()).toEqual(["no_recipe 2/0/0", "unknown_sku 3/0/0"]);
		await shipped(2, { nope: 2, one: 1 });
		expect((await exceptions()).sort()).toEqual(["no_recipe 2/0/0", "unknown_sku 1/2/0"]);
		expect(await lots("lot")).toEqual({ lot: "8/1" });
		await database.db.query(
			`with e as (update catalog_epoch set version = version + 1 returning version),
			 s as (insert into sku (sku, name, kind, updated_at, version) select $1, $1, 'single', now(), version from e)
			 insert into sku_component (sku, position, formula_id, per_kit) values ($1, 0, $2, 2)`,
			[`${town.name}-nope`, town.id("F0")],
		);
		expect(await retryExceptions(database.db, settings, await exceptionId(), operator)).toMatchObject({
			drawnUnits: 4,
		});
		expect(await exceptions()).toEqual(["no_recipe 2/0/0"]);
		expect(await promised()).toEqual(["label 2 F0 ACME"]);
		expect(await lots("lot")).toEqual({ lot: "4/5" });
		await cancelled(9);
		expect(await exceptions()).toEqual([]);
	});

	it("of a store that nobody knows waits whole, and is settled when the store is set", async () => {
		await receive("lot", 9, "BOLT");
		const store = `new ${town.name}`;
		await open(1, { one: 4 }, store);
		await shipped(2, { one: 1 });
		expect(await exceptions()).toEqual(["unknown_store 3/1/0"]);
		expect(await lots("lot")).toEqual({ lot: "9/0" });
		expect((await listStores(database.db)).unknown).toContain(store);
		const set = await setStore(database.db, settings, { store, brandCode: "BOLT", shared: false }, operator);
		expect(set).toEqual({ store, brandCode: "BOLT", shared: false, orders: 1 });
		expect([await exceptions(), await promised()]).toEqual([[], ["label 3 F0 BOLT"]]);
		expect(await lots("lot")).toEqual({ lot: "8/1" });
		expect(await setStore(database.db, settings, { store, brandCode: null, shared: false }, operator)).toMatchObject({
			orders: 1,
		});
		expect(await promised()).toEqual(["label 3 F0 null"]);
		expect(await removeStore(database.db, settings, store, operator)).toEqual({ removed: true, orders: 1 });
		expect([await exceptions(), await promised()]).toEqual([["unknown_store 3/0/0"], []]);
		expect(await removeStore(database.db, settings, store, operator)).toEqual({ removed: false, orders: 0 });
		expect(await setStore(database.db, settings, { store, brandCode: "NOPE", shared: false }, operator)).toMatchObject({
			refusal: "not_found",
		});
		expect(
			await setStore(database.db, settings, { store, brandCode: "SANDBOX", shared: false }, operator),
		).toMatchObject({
			refusal: "invalid_input",
		});
	});

	it("that the operator has dealt with by hand is not drawn down any more", async () => {
		await receive("lot", 9, "BOLT");
		const store = `by hand ${town.name}`;
		await shipped(2, { one: 3 }, store);
		const id = await exceptionId();
		const resolve = () => resolveException(database.db, id, "counted", operator);
		expect(await resolve()).toEqual({ exceptionId: id, reference: full, note: "counted" });
		expect(await resolve()).toMatchObject({ refusal: "wrong_state" });
		expect(await resolveException(database.db, 10_000_000, "counted", operator)).toMatchObject({
			refusal: "not_found",
		});
		expect(await resolveException(database.db, id, "", operator)).toMatchObject({ refusal: "invalid_input" });
		await setStore(database.db, settings, { store, brandCode: "BOLT", shared: false }, operator);
		await shipped(2, { one: 3 }, store);
		expect(await lots("lot")).toEqual({ lot: "9/0" });
		await shipped(3, { one: 4 }, store);
		expect(await lots("lot")).toEqual({ lot: "8/1" });
	});

	it("is refused when it cannot be, and then nothing is noted", async () => {
		const refused = await noteOpenOrder(database.db, settings, {
			...{ source: "Label", reference, store: "acme", modifiedAt: at(1), lines: [] },
		});
		expect(refused).toMatchObject({ refusal: "invalid_input" });
		expect(await open(1, { one: 1_000_000, pair: 1_000_000 })).toMatchObject({ changed: true });
		newOrder();
		await database.db.query("update sku_component set per_kit = 10000 where sku = $1", [`${town.name}-pair`]);
		expect(await open(1, { pair: 1_000_000 })).toMatchObject({ refusal: "invalid_input" });
		const { rowCount } = await database.db.query("select from reported_order where reference = $1", [full]);
		expect(rowCount).toBe(0);
	});
});

describe("Demand that the operator entered", () => {
	const enter = (units: number, brandCode: string | null = "ACME", of = "PO") =>
		setDemand(database.db, [{ formula: `${town.name}-F0`, brandCode, reference: `${of} ${town.name}`, units }]);
	const ship = (shared = false) =>
		shipDemand(database.db, settings, { reference: `PO ${town.name}`, shared }, operator);

	it("is listed without a source, and drawn down when it was shipped, once", async () => {
		await receive("lot", 9, "ACME");
		await enter(4);
		expect(await promised(`PO ${town.name}`)).toEqual(["null 4 F0 ACME"]);
		expect(await ship()).toMatchObject({ drawnUnits: 4, missingUnits: 0, drawn: [{ fgId: town.id("lot"), units: 4 }] });
		expect(await promised(`PO ${town.name}`)).toEqual([]);
		expect(await ship()).toMatchObject({ refusal: "not_found" });
		expect(await lots("lot")).toEqual({ lot: "5/4" });
		const { rows } = await database.db.query("select distinct actor from unit_move where cause_id = $1", [
			`PO ${town.name}`,
		]);
		expect(rows).toEqual([{ actor: "operator:test" }]);
	});

	it("of two pools is drawn from each, and what is missing from either is an exception of its own", async () => {
		await receive("acme", 1, "ACME");
		await receive("shared", 2, "shared");
		await enter(2);
		await enter(3, null);
		expect(await ship()).toMatchObject({ drawnUnits: 3, missingUnits: 2 });
		expect((await exceptions(`PO ${town.name}`)).sort()).toEqual(["shortage 0/0/1", "shortage 0/0/1"]);
		await receive("late", 5, "shared");
		expect(await retryExceptions(database.db, settings, null, operator)).toMatchObject({
			drawnUnits: 1,
			missingUnits: 1,
		});
	});

	it("goes to the shared stock only when that is said", async () => {
		await receive("shared", 9, "shared");
		await enter(2);
		expect(await ship(true)).toMatchObject({ drawnUnits: 2, missingUnits: 0 });
	});

	it("is not drawn down by hand when a platform reports it", async () => {
		await open(1, { one: 1 });
		expect(await shipDemand(database.db, settings, { reference: full, shared: false }, operator)).toMatchObject({
			refusal: "wrong_state",
		});
		expect(await clearDemand(database.db, full)).toBe(1);
	});

	it("is shipped once by two who ship it at the same moment", async () => {
		await receive("lot", 9, "ACME");
		await enter(4);
		const answers = await Promise.all([ship(), ship()]);
		expect(answers.filter((answer) => isRefusal(answer))).toHaveLength(1);
		expect(await lots("lot")).toEqual({ lot: "5/4" });
	});
});

describe("Reports in any order", () => {
	it("and any repetition, several at a time, come to what the platform says last: nothing is drawn twice, no unit is lost", async () => {
		const kits = fc.dictionary(fc.constantFrom("one", "pair", "kit", "nope"), fc.integer({ min: 1, max: 3 }), {
			noNullPrototype: true,
		});
		const reports = fc.uniqueArray(
			fc.record({ n: fc.integer({ min: 1, max: 30 }), what: fc.constantFrom("open", "shipped", "cancelled"), kits }),
			{ selector: ({ n }) => n, minLength: 1, maxLength: 5 },
		);
		const orderings = fc.array(fc.nat(), { minLength: 10, maxLength: 10 });
		const say = ({ n, what, kits: of }: { n: number; what: string; kits: Record<string, number> }) =>
			what === "open" ? open(n, of) : what === "shipped" ? shipped(n, of, "acme") : cancelled(n);
		/** What the world is after reports, on shelves of its own. */
		const world = async () => {
			const { rows } = await database.db.query(
				`select batch_number, available, shipped from lot where formula_id = any($1::uuid[]) order by 1`,
				[[town.id("F0"), town.id("F1")]],
			);
			return { lots: rows, promised: (await promised()).sort(), exceptions: (await exceptions()).sort() };
		};
		const fresh = async () => {
			town = makeTown(`t${++towns}`);
			await settleTowns(database.db, [town]);
			newOrder();
			await receive("a", 4, "ACME", "2090-01-01");
			await receive("b", 3, "shared", "2089-01-01");
			await receive("c", 9, "ACME", "2090-01-01", "F1");
		};
		await fc.assert(
			fc.asyncProperty(reports, orderings, fc.integer({ min: 1, max: 3 }), async (some, keys, atOnce) => {
				await fresh();
				for (const report of some.toSorted((a, b) => a.n - b.n)) done(await say(report));
				const inOrder = await world();
				await fresh();
				const again = [...some, ...some]
					.map((report, i) => ({ report, key: keys[i] ?? 0 }))
					.sort((a, b) => a.key - b.key);
				for (let i = 0; i < again.length; i += atOnce) {
					const together = again.slice(i, i + atOnce).map(({ report }) => say(report));
					for (const noted of await Promise.all(together)) done(noted);
				}
				expect(await world()).toEqual(inOrder);
			}),
			{ numRuns: size(200) },
		);
		expect(await audit(database.db)).toEqual([]);
	});
});

describe("Draw-downs beside partners' reserves on the same shelf", () => {
	it("share the units: none is had twice, none is lost, and what nobody has is an exception", async () => {
		const units = 60;
		for (const lot of ["a", "b", "c"]) await receive(lot, units / 3, "ACME", `209${lot === "a" ? 0 : 1}-01-01`);
		const reserve = async (n: number): Promise<number> => {
			const answer = await engine.execute({
				...({ kind: "reserve", origin: operator, caller: town.callers.acme, newToken: town.id(`h${n}`) } as const),
				...{ lines: [{ sku: `${town.name}-one`, qty: 2, brandCode: undefined }], ttlMinutes: 30, externalRef: null },
			});
			return isRefusal(answer) ? 0 : 2;
		};
		const ship = async (n: number) =>
			done(
				await noteShipped(database.db, settings, {
					...{ source: "label", reference: `${town.name}/${n}`, store: "acme", shippedAt: at(1) },
					lines: lines({ one: 3 }),
				}),
			);
		const [held, drawn] = await Promise.all([
			Promise.all(Array.from({ length: 20 }, (_, n) => reserve(n))),
			Promise.all(Array.from({ length: 15 }, (_, n) => ship(n))),
		]);
		const heldUnits = held.reduce((total, one) => total + one, 0);
		const drawnUnits = drawn.reduce((total, one) => total + one.drawnUnits, 0);
		const missing = drawn.reduce((total, one) => total + one.missingUnits, 0);
		expect(drawnUnits + missing).toBe(45);
		expect(heldUnits + drawnUnits).toBeLessThanOrEqual(units);
		const { rows } = await database.db.query(
			"select sum(available)::int as available, sum(held)::int as held, sum(shipped)::int as shipped from lot where formula_id = $1",
			[town.id("F0")],
		);
		expect(rows).toEqual([{ available: units - heldUnits - drawnUnits, held: heldUnits, shipped: drawnUnits }]);
		expect(await audit(database.db)).toEqual([]);
	});
});

describe("A draw-down that breaks off", () => {
	it("leaves nothing behind, and is done once when the report comes again", async () => {
		await receive("lot", 9, "ACME");
		await open(1, { one: 4 });
		const breaking: DrawIn = async (tx, commands) => {
			await drawIn(tx, commands);
			throw new Error("the process ends here");
		};
		const report = { source: "label", reference, store: null, shippedAt: at(2), lines: lines({ one: 4 }) };
		await expect(noteShipped(database.db, { drawIn: breaking }, report)).rejects.toThrow("the process ends here");
		expect([await promised(), await lots("lot")]).toEqual([["label 4 F0 ACME"], { lot: "9/0" }]);
		expect(done(await noteShipped(database.db, settings, report))).toMatchObject({ drawnUnits: 4 });
		expect([await promised(), await lots("lot")]).toEqual([[], { lot: "5/4" }]);
	});
});

describe("holdfast verify", () => {
	it("finds nothing wrong after all of this, and names what was changed behind the service's back", async () => {
		const broken = async () =>
			(await verify(database.db)).differences.map(({ rule }) => rule).filter((rule) => rule !== "hold-without-key"); // a town has none
		expect(await broken()).toEqual([]);
		await receive("lot", 9, "ACME");
		await open(1, { one: 4 });
		await shipped(2, { one: 1, nope: 1 });
		expect(await broken()).toEqual([]);
		await database.db.query("update draw_down set units = units + 1 where reference = $1", [full]);
		expect((await broken()).sort()).toEqual(["draw-down", "lot-parts"]);
		await database.db.query("update draw_down set units = units - 1 where reference = $1", [full]);
		await database.db.query("delete from demand_exception where reference = $1", [full]);
		expect(await broken()).toEqual(["demand-exception"]);
		await database.db.query("delete from reported_line where reference = $1", [full]);
		await database.db.query("delete from reported_order where reference = $1", [full]);
		expect(await broken()).toEqual(["demand-order"]);
	});
});
