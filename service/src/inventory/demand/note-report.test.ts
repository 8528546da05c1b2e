import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
	at,
	DemandWorld,
	done,
	drawIn,
	operator,
	removeStoreWhole,
	retryAll,
	setStoreWhole,
	settings,
} from "../../../test/demand-world.ts";
import { until } from "../../../test/processes/child.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { verify } from "../../upkeep/ledger/verify.ts";
import { carryOut } from "./carry-out.ts";
import type { DrawIn } from "./draw-units.ts";
import { listExceptions } from "./exceptions-sql.ts";
import { noteOpenOrder, noteShipped } from "./note-report.ts";
import { resolveException } from "./resolve-exception.ts";
import { retryException } from "./retry-exceptions.ts";
import { selectUnknownStores } from "./stores-sql.ts";

let world: DemandWorld;
beforeAll(async () => {
	world = await DemandWorld.open();
});
afterAll(() => world.close());
beforeEach(() => world.move());

const resolve = (id: number, note: string) =>
	carryOut(world.database.db, (tx) => resolveException(tx, id, note, operator));
const retry = (id: number) => carryOut(world.database.db, (tx) => retryException(tx, settings, id, operator, false));

const nothingNew = { changed: false, drawnUnits: 0, missingUnits: 0, unsettled: 0 };

describe("An order that a label platform reports", () => {
	it("is promised while it is open, of the store's brand, and let go when it is cancelled", async () => {
		expect(done(await world.open(1, { one: 2, kit: 1, fee: 1 }))).toEqual({
			changed: true,
			promisedUnits: 5,
			drawnUnits: 0,
			missingUnits: 0,
			unsettled: 0,
		});
		expect((await world.promised()).sort()).toEqual(["label 2 F1 ACME", "label 3 F0 ACME"]);
		expect(done(await world.open(2, { one: 1 }))).toMatchObject({ promisedUnits: 1 });
		expect(await world.promised()).toEqual(["label 1 F0 ACME"]);
		expect(done(await world.cancelled(3))).toMatchObject({ changed: true, promisedUnits: 0 });
		expect(await world.promised()).toEqual([]);
	});

	it("is drawn down first expired first out, from the brand's stock and then from the shared stock, and the rest stays promised", async () => {
		await world.receive("late", 2, "ACME", "2090-01-01");
		await world.receive("early", 1, "ACME", "2089-01-01");
		await world.receive("shared", 9, "shared", "2031-01-01");
		await world.open(1, { one: 6 });
		expect(done(await world.shipped(2, { one: 4 }))).toMatchObject({
			promisedUnits: 2,
			drawnUnits: 4,
			missingUnits: 0,
		});
		expect(await world.lots("early", "late", "shared")).toEqual({ early: "0/1", late: "0/2", shared: "8/1" });
		expect(await world.promised()).toEqual(["label 2 F0 ACME"]);
		expect(done(await world.shipped(3, { one: 6 }))).toMatchObject({ promisedUnits: 0, drawnUnits: 2 });
		expect(await world.lots("shared")).toEqual({ shared: "6/3" });
		const { rows } = await world.database.db.query(
			"select distinct actor, cause, from_bucket from unit_move where cause_id = $1",
			[world.full],
		);
		expect(rows).toEqual([{ actor: "system:label", cause: "draw_down", from_bucket: "available" }]);
	});

	it("changes nothing when a report comes twice, or an older one after a newer one", async () => {
		await world.receive("lot", 9, "ACME");
		await world.open(2, { one: 5 });
		await world.shipped(4, { one: 3 });
		const before = await world.database.db.query("select version from demand_epoch");
		expect(done(await world.open(2, { one: 5 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await world.open(1, { one: 50 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await world.cancelled(1))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await world.shipped(4, { one: 3 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(done(await world.shipped(3, { one: 1 }))).toEqual({ ...nothingNew, promisedUnits: 2 });
		expect(await world.lots("lot")).toEqual({ lot: "6/3" });
		expect((await world.database.db.query("select version from demand_epoch")).rows).toEqual(before.rows);
	});

	it("that is short draws what there is, never below 0, and what is missing can be drawn later, once", async () => {
		await world.receive("lot", 2, "BOLT");
		await world.receive("shared", 9, "shared");
		expect(done(await world.shipped(1, { one: 5 }, "bolt"))).toMatchObject({ drawnUnits: 2, missingUnits: 3 });
		expect(await world.lots("lot", "shared")).toEqual({ lot: "0/2", shared: "9/0" });
		expect(await world.exceptions()).toEqual(["shortage 0/0/3"]);
		expect(done(await world.shipped(1, { one: 5 }, "bolt"))).toMatchObject({ changed: false });
		await world.receive("more", 1, "BOLT");
		expect(done(await world.shipped(2, { one: 6 }))).toMatchObject({ drawnUnits: 1, missingUnits: 0 });
		await world.receive("again", 2, "BOLT");
		const again = () => retryAll(world.database.db);
		expect(await again()).toEqual({ references: 1, drawnUnits: 2, missingUnits: 1 });
		expect(await world.exceptions()).toEqual(["shortage 0/0/1"]);
		expect(await again()).toEqual({ references: 1, drawnUnits: 0, missingUnits: 1 });
		await world.receive("last", 5, "BOLT");
		expect(await retry(await world.exceptionId())).toMatchObject({
			drawnUnits: 1,
		});
		expect(await again()).toEqual({ references: 0, drawnUnits: 0, missingUnits: 0 });
		expect(await world.lots("again", "last")).toEqual({ again: "0/2", last: "4/1" });
	});

	it("of an unknown SKU, or of one without a recipe, is an exception for that line alone, until the catalogue knows it", async () => {
		await world.receive("lot", 9, "ACME");
		await world.open(1, { one: 1, bare: 2, nope: 3 });
		expect((await world.exceptions()).sort()).toEqual(["no_recipe 2/0/0", "unknown_sku 3/0/0"]);
		await world.shipped(2, { nope: 2, one: 1 });
		expect((await world.exceptions()).sort()).toEqual(["no_recipe 2/0/0", "unknown_sku 1/2/0"]);
		expect(await world.lots("lot")).toEqual({ lot: "8/1" });
		await world.database.db.query(
			`with e as (update catalog_epoch set version = version + 1 returning version),
			 s as (insert into sku (sku, name, kind, updated_at, version) select $1, $1, 'single', now(), version from e)
			 insert into sku_component (sku, position, formula_id, per_kit) values ($1, 0, $2, 2)`,
			[`${world.town.name}-nope`, world.town.id("F0")],
		);
		expect(await retry(await world.exceptionId())).toMatchObject({
			drawnUnits: 4,
		});
		expect(await world.exceptions()).toEqual(["no_recipe 2/0/0"]);
		expect(await world.promised()).toEqual(["label 2 F0 ACME"]);
		expect(await world.lots("lot")).toEqual({ lot: "4/5" });
		await world.cancelled(9);
		expect(await world.exceptions()).toEqual([]);
	});

	it("of a store that nobody knows waits whole, and is settled when the store is set", async () => {
		await world.receive("lot", 9, "BOLT");
		const store = `new ${world.town.name}`;
		await world.open(1, { one: 4 }, store);
		await world.shipped(2, { one: 1 });
		expect(await world.exceptions()).toEqual(["unknown_store 3/1/0"]);
		expect(await world.lots("lot")).toEqual({ lot: "9/0" });
		expect(await selectUnknownStores(world.database.db)).toContain(store);
		const set = await setStoreWhole(world.database.db, { store, brandCode: "BOLT", shared: false });
		expect(set).toEqual({ isNew: true, orders: 1 });
		expect([await world.exceptions(), await world.promised()]).toEqual([[], ["label 3 F0 BOLT"]]);
		expect(await world.lots("lot")).toEqual({ lot: "8/1" });
		expect(await setStoreWhole(world.database.db, { store, brandCode: null, shared: false })).toMatchObject({
			orders: 1,
		});
		expect(await world.promised()).toEqual(["label 3 F0 null"]);
		expect(await removeStoreWhole(world.database.db, store)).toEqual({ removed: true, orders: 1 });
		expect([await world.exceptions(), await world.promised()]).toEqual([["unknown_store 3/0/0"], []]);
		expect(await removeStoreWhole(world.database.db, store)).toEqual({ removed: false, orders: 0 });
		expect(await setStoreWhole(world.database.db, { store, brandCode: "NOPE", shared: false })).toMatchObject({
			refusal: "not_found",
		});
		expect(await setStoreWhole(world.database.db, { store, brandCode: "SANDBOX", shared: false })).toMatchObject({
			refusal: "invalid_input",
		});
	});

	it("that the operator has dealt with by hand is not drawn down any more", async () => {
		await world.receive("lot", 9, "BOLT");
		const store = `by hand ${world.town.name}`;
		await world.shipped(2, { one: 3 }, store);
		const id = await world.exceptionId();
		const counted = () => resolve(id, "counted");
		const done = { exceptionId: id, reference: world.full, note: "counted" };
		expect(await counted()).toEqual({ ...done, changed: true });
		expect(await resolve(id, "again")).toEqual({ ...done, changed: false });
		expect(await resolve(10_000_000, "counted")).toMatchObject({
			refusal: "not_found",
		});
		expect(await resolve(id, "")).toMatchObject({ refusal: "invalid_input" });
		await setStoreWhole(world.database.db, { store, brandCode: "BOLT", shared: false });
		await world.shipped(2, { one: 3 }, store);
		expect(await world.lots("lot")).toEqual({ lot: "9/0" });
		await world.shipped(3, { one: 4 }, store);
		expect(await world.lots("lot")).toEqual({ lot: "8/1" });
	});

	it("keeps its line of an unknown SKU when the store's exception is resolved, until the SKU and the store are known", async () => {
		await world.receive("lot", 9, "BOLT");
		const store = `mixed ${world.town.name}`;
		const { db } = world.database;
		await world.shipped(2, { one: 3, nope: 2 }, store);
		expect(await world.exceptions()).toEqual(["unknown_sku 0/2/0", "unknown_store 0/3/0"]);
		const { items } = await listExceptions(db, {}, 10_000);
		const ofStore = items.find(({ reference, kind }) => reference === world.full && kind === "unknown_store");
		await resolve(ofStore?.exceptionId ?? 0, "counted");
		await world.shipped(3, { one: 3, nope: 2 }, store);
		expect(await world.exceptions()).toEqual(["unknown_sku 0/2/0"]);
		await setStoreWhole(db, { store, brandCode: "BOLT", shared: false });
		expect(await world.lots("lot")).toEqual({ lot: "9/0" });
	});

	it("whose first report comes while its store is being set is settled with the store, not passed over", async () => {
		const store = `beside ${world.town.name}`;
		const { db } = world.database;
		const gate = await db.take();
		// a report that found no assignment of the store waits here before it commits
		await gate.query("begin");
		await gate.query("lock table demand_exception in share mode");
		const report = world.open(1, { one: 4 }, store);
		await until("the report to be under way", async () => (await waiting("relation")) > 0);
		let isSet = false;
		const set = setStoreWhole(db, { store, brandCode: "BOLT", shared: false }).finally(() => {
			isSet = true;
		});
		await until("the store to be set, or to wait", async () => isSet || (await waiting("advisory")) > 0);
		await gate.query("rollback");
		gate.release();
		done(await report);
		expect(await set).toMatchObject({ orders: 1 });
		expect([await world.exceptions(), await world.promised()]).toEqual([[], ["label 4 F0 BOLT"]]);
	});
	/** Number of sessions that wait for a kind of lock. */
	const waiting = async (kind: string): Promise<number> =>
		(
			await world.database.db.query(
				`select from pg_locks where locktype = $1 and not granted
				    and pid in (select pid from pg_stat_activity where datname = current_database())`,
				[kind],
			)
		).rowCount ?? 0;

	it("two resolve an exception at the same moment: one has done it, the others are told what is so", async () => {
		await world.shipped(2, { one: 3 });
		const id = await world.exceptionId();
		const counted = () => resolve(id, "counted");
		const answers = await Promise.all([counted(), counted(), counted()]);
		const told = answers.map((answer) => (isRefusal(answer) ? answer.refusal : String(answer.changed)));
		expect(told.toSorted()).toEqual(["false", "false", "true"]);
	});

	it("is refused when it cannot be, and then nothing is noted", async () => {
		const refused = await noteOpenOrder(world.database.db, settings, {
			source: "Label",
			reference: world.reference,
			store: "acme",
			modifiedAt: at(1),
			lines: [],
		});
		expect(refused).toMatchObject({ refusal: "invalid_input" });
		expect(await world.open(1, { one: 1_000_000, pair: 1_000_000 })).toMatchObject({ changed: true });
		world.newOrder();
		await world.database.db.query("update sku_component set per_kit = 10000 where sku = $1", [
			`${world.town.name}-pair`,
		]);
		expect(await world.open(1, { pair: 1_000_000 })).toMatchObject({ refusal: "invalid_input" });
		const { rowCount } = await world.database.db.query("select from reported_order where reference = $1", [world.full]);
		expect(rowCount).toBe(0);
	});
});

describe("A draw-down that breaks off", () => {
	it("leaves nothing behind, and is done once when the report comes again", async () => {
		await world.receive("lot", 9, "ACME");
		await world.open(1, { one: 4 });
		const breaking: DrawIn = async (tx, commands) => {
			await drawIn(tx, commands);
			throw new Error("the process ends here");
		};
		const report = {
			source: "label",
			reference: world.reference,
			store: null,
			shippedAt: at(2),
			lines: world.lines({ one: 4 }),
		};
		const cut: DrawIn = async (tx, commands) => {
			const answers = await drawIn(tx, commands);
			const { rows } = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
			await world.database.db.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
			return answers;
		};
		for (const [broken, why] of [
			[breaking, /the process ends here/],
			[cut, /terminat|connection|EPIPE|ECONNRESET/i],
		] as const) {
			await expect(noteShipped(world.database.db, { drawIn: broken }, report)).rejects.toThrow(why);
			expect([await world.promised(), await world.lots("lot")]).toEqual([["label 4 F0 ACME"], { lot: "9/0" }]);
		}
		expect(done(await noteShipped(world.database.db, settings, report))).toMatchObject({ drawnUnits: 4 });
		expect([await world.promised(), await world.lots("lot")]).toEqual([[], { lot: "5/4" }]);
	});
});

describe("holdfast verify", () => {
	it("finds nothing wrong after all of this, and names what was changed behind the service's back", async () => {
		const broken = async () =>
			(await verify(world.database.db)).differences
				.map(({ rule }) => rule)
				.filter((rule) => rule !== "hold-without-key"); // a town has none
		expect(await broken()).toEqual([]);
		await world.receive("lot", 9, "ACME");
		await world.open(1, { one: 4 });
		await world.shipped(2, { one: 1, nope: 1 });
		expect(await broken()).toEqual([]);
		await world.database.db.query("update draw_down set units = units + 1 where reference = $1", [world.full]);
		expect((await broken()).sort()).toEqual(["draw-down", "lot-parts"]);
		await world.database.db.query("update draw_down set units = units - 1 where reference = $1", [world.full]);
		await world.database.db.query("delete from demand_exception where reference = $1", [world.full]);
		expect(await broken()).toEqual(["demand-exception"]);
		await world.database.db.query("delete from reported_line where reference = $1", [world.full]);
		await world.database.db.query("delete from reported_order where reference = $1", [world.full]);
		expect(await broken()).toEqual(["demand-order"]);
	});
});
