import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { GetOperatorOrder } from "../../src/inventory/orders/admin-contract.ts";
import { GetRecall, GetRecallCsv, ListRecalls, RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { DestroyLot, QuarantineLot, RestoreLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { ListQueue } from "../../src/inventory/shipping/box-admin-contract.ts";
import { MakePickList } from "../../src/inventory/shipping/papers-admin-contract.ts";
import { LabelBox, PickOrder, ShipBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { GetLot, ListLotMoves } from "../../src/inventory/stock/admin-contract.ts";
import { GetRun } from "../../src/partners/runs/admin-contract.ts";
import { ImportTracking } from "../../src/upkeep/import/tracking-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows, placeOrder } from "./placed.ts";
import { stockedIn } from "./stocked.ts";

const reason = "lab report 77";

let house: House;
let token: string;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await house.mint({ scopes: ["atp.reserve", "atp.orders", "atp.release"] }));
});
afterAll(() => house.close());

const stocked = (bad: number, good = 0) => stockedIn(house, bad, good);
const reserve = async (sku: string, qty: number): Promise<string> =>
	(await house.call(token, "/api/v1/reserve", { body: { items: [{ sku, qty }] } })).json.data.reservation_token;
type Move = typeof QuarantineLot | typeof DestroyLot | typeof RestoreLot;
const move = (operation: Move, fg_id: string, body: object, headers: Record<string, string> = {}) =>
	operate(house, operation, { params: { fg_id }, body: { reason, ...body }, headers });
const recall = (body: object, headers: Record<string, string> = {}) =>
	operate(house, RecallLots, { body: { reason, ...body }, headers });
const bucketsOf = async (fg_id: string) => {
	const { available, held, allocated, quarantined, destroyed } = (await operate(house, GetLot, { params: { fg_id } }))
		.json.data;
	return { available, held, allocated, quarantined, destroyed };
};

describe("Operators take units of a lot out, and give them back", () => {
	it("and are told before what will happen; ledger and audit log name who did it", async () => {
		const { sku, fg_id } = await stocked(10, 1);
		await reserve(sku, 2);
		await reserve(sku, 3);
		const before = await bucketsOf(fg_id);
		const rows = await auditRows(house);
		const told = { fg_id, moved: 8, replaced: 1, lost: 2 };
		const dry = await move(QuarantineLot, fg_id, { units: 8, dry_run: true });
		expect([dry.status, dry.json.data]).toEqual([200, { ...told, dry_run: true }]);
		expect([await bucketsOf(fg_id), await auditRows(house)]).toEqual([before, rows]);
		const done = await move(QuarantineLot, fg_id, { units: 8 });
		expect([done.status, done.json.data]).toEqual([200, told]);
		expect(await bucketsOf(fg_id)).toMatchObject({ available: 0, held: 2, quarantined: 8 });

		const destroyed = { fg_id, moved: 3, replaced: 0, lost: 0 };
		const dryDestroy = await move(DestroyLot, fg_id, { units: 3, dry_run: true });
		expect(dryDestroy.json.data).toEqual({ ...destroyed, dry_run: true });
		expect((await move(DestroyLot, fg_id, { units: 3 })).json.data).toEqual(destroyed);

		const restored = { fg_id, moved: 5, replaced: 0, lost: 0, given_back: 2, recall_ended: false, left: 0 };
		const dryRestore = await move(RestoreLot, fg_id, { all: true, dry_run: true });
		expect(dryRestore.json.data).toEqual({ ...restored, dry_run: true });
		expect((await move(RestoreLot, fg_id, { all: true })).json.data).toEqual(restored);
		expect(await bucketsOf(fg_id)).toMatchObject({ available: 3, held: 4, quarantined: 0, destroyed: 3 });
		const { rows: moves } = await house.db.query(
			`select distinct m.cause, m.cause_id, a.operation from unit_move m join audit_log a on a.about = m.fg_id::text
			    and a.actor = m.actor and a.request_id = m.request_id
			  where m.fg_id = $1 and m.cause in ('quarantine', 'destroy', 'restore') order by 1`,
			[fg_id],
		);
		expect(moves).toEqual([
			{ cause: "destroy", cause_id: reason, operation: "destroy_lot" },
			{ cause: "quarantine", cause_id: reason, operation: "quarantine_lot" },
			{ cause: "restore", cause_id: reason, operation: "restore_lot" },
		]);
		expect(await auditRows(house)).toBe(rows + 3);
		expect((await verify(house.db)).differences).toEqual([]);
	});

	it("once under an Idempotency-Key, and not at all when the lot has changed since it was read", async () => {
		const { fg_id, batch } = await stocked(10);
		const { etag } = (await operate(house, GetLot, { params: { fg_id } })).headers;
		const key = { "idempotency-key": `move ${batch}` };
		const first = await move(QuarantineLot, fg_id, { units: 4 }, key);
		const again = await move(QuarantineLot, fg_id, { units: 4 }, key);
		expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([200, first.json, "true"]);
		expect((await move(QuarantineLot, fg_id, { units: 5 }, key)).json.error.code).toBe("idempotency_conflict");
		const late = await move(DestroyLot, fg_id, { all: true }, { "if-match": String(etag) });
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect(await bucketsOf(fg_id)).toMatchObject({ available: 6, quarantined: 4, destroyed: 0 });
	});

	it.for([
		[400, {}, "either units or all"],
		[400, { units: 1, all: true }, "either units or all"],
		[400, { units: 0 }, "/units"],
		[400, { units: 1, reason: "" }, "/reason"],
		[409, { units: 99 }, "not 99"],
	] as const)("%i for %j", async ([status, body, message]) => {
		const { fg_id } = await stocked(3);
		for (const operation of [QuarantineLot, DestroyLot, RestoreLot]) {
			for (const dry_run of [false, true]) {
				const refused = await move(operation, fg_id, { ...body, dry_run });
				expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
			}
		}
		expect(await bucketsOf(fg_id)).toMatchObject({ available: 3 });
	});

	it("of a lot that there is, by its batch number too", async () => {
		const { batch } = await stocked(3);
		for (const operation of [QuarantineLot, DestroyLot, RestoreLot])
			for (const dry_run of [false, true])
				expect((await move(operation, newId(), { all: true, dry_run })).status).toBe(404);
		expect((await move(QuarantineLot, batch, { all: true })).json.data.moved).toBe(3);
	});
});

describe("Operators recall a batch", () => {
	it("and read who must learn of it, before and after; asked again it is the same recall", async () => {
		const { sku, batch, fg_id } = await stocked(10, 1);
		const order = await placeOrder(house, token, `cart-${batch}`, { sku, qty: 2 });
		const hold = await reserve(sku, 3);
		const before = await bucketsOf(fg_id);
		const rows = await auditRows(house);
		const told = { batch_number: batch, fg_id: null, reason, moved: 10, replaced: 1, lost: 4, left: 0 };
		const lists = {
			held_orders: [{ order_id: order.order_id, units: 2 }],
			impaired_holds: [{ reservation_token: hold, units: 2 }],
		};
		const dry = (await recall({ batch_number: batch, dry_run: true })).json.data;
		expect(dry).toMatchObject({ ...told, ...lists, recall_id: null, dry_run: true, status: null });
		expect([await bucketsOf(fg_id), await auditRows(house)]).toEqual([before, rows]);

		const done = await recall({ batch_number: batch });
		expect(done.status).toBe(200);
		const report = done.json.data;
		expect(report).toMatchObject({ ...told, ...lists, dry_run: false, status: "done" });
		expect(report.lots).toMatchObject([{ fg_id, quarantined: 10, recalled_at: expect.any(String) }]);
		expect(await auditRows(house)).toBe(rows + 1);
		const params = { id: report.recall_id };
		const read = await operate(house, GetRecall, { params });
		expect(read.json.data).toEqual(report);
		const headers = { "if-none-match": String(read.headers.etag) };
		expect((await operate(house, GetRecall, { params, headers })).status).toBe(304);
		const run = (await operate(house, GetRun, { params: { run_id: report.recall_id } })).json.data;
		expect(run).toMatchObject({ operation: "recall_lots", about: batch, status: "done", done: 10, of: 10 });

		const { items: moves } = (await operate(house, ListLotMoves, { params: { fg_id } })).json.data;
		const named = { order_id: order.order_id, ref: `cart-${batch}`, external_order_id: null };
		const recalled = { cause: "recall", to: "quarantined", reason };
		expect(moves.filter(({ cause }: { cause: string }) => cause === "recall")).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ ...recalled, from: "available", units: 5, about: null, order: null }),
				expect.objectContaining({ ...recalled, from: "held", units: 3, about: hold, order: null }),
				expect.objectContaining({
					...recalled,
					from: "allocated",
					units: 2,
					about: expect.stringMatching(/^[0-9a-f-]{36}$/),
					order: expect.objectContaining(named),
				}),
			]),
		);

		const again = await recall({ batch_number: batch, reason: "to be sure" });
		expect([again.status, again.json.data]).toEqual([200, report]);
		expect(await auditRows(house)).toBe(rows + 1);
		const csv = await operate(house, GetRecallCsv, { params });
		expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
		const lines = csv.bytes.toString().split("\r\n");
		expect(lines[0]).toMatch(/^list,partner,key,key_name,order_id,/);
		expect(lines.slice(1, -1).map((line) => line.split(",")[0])).toEqual(["impaired_hold", "held_order"]);

		await move(RestoreLot, fg_id, { all: true, ends_recall: true });
		const anew = (await recall({ batch_number: batch })).json.data;
		expect(anew.recall_id).not.toBe(report.recall_id);
		expect(anew).toMatchObject({ status: "done", moved: 10 });
		const { items } = (await operate(house, ListRecalls, { query: "?limit=2&status=done" })).json.data;
		expect(items.map((one: { recall_id: string }) => one.recall_id)).toEqual([anew.recall_id, report.recall_id]);
		expect(items[1]).toMatchObject({ ...told, actor: run.actor });
		const { rows: actors } = await house.db.query("select distinct actor from unit_move where cause = 'recall'");
		expect(actors).toEqual([{ actor: run.actor }]);
		expect((await verify(house.db)).differences).toEqual([]);
	});

	it("and open the boxes of orders that were picked or packed before, until they are picked anew", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const place = (name: string) => placeOrder(house, token, `${name}-${batch}`, { sku, qty: 2 });
		const [picked, labelled] = [await place("picked"), await place("labelled")];
		await place("waiting");
		await operate(house, PickOrder, { params: { id: picked.order_id }, body: {} });
		const label = { carrier: "ups", tracking_number: `1Z-${batch}` };
		await operate(house, LabelBox, { params: { id: labelled.order_id }, body: label });
		const told = [
			{
				order_id: picked.order_id,
				units: 2,
				batch_numbers: [batch],
				picked_at: expect.any(String),
				shipment_id: picked.shipments[0]?.shipment_id,
				tracking_number: null,
			},
			{ order_id: labelled.order_id, units: 2, picked_at: null, tracking_number: label.tracking_number },
		];
		expect((await recall({ batch_number: batch, dry_run: true })).json.data.packed_orders).toMatchObject(told);
		const done = (await recall({ batch_number: batch })).json.data;
		expect(done.packed_orders).toMatchObject(told);
		const csv = await operate(house, GetRecallCsv, { params: { id: done.recall_id } });
		expect(csv.bytes.toString()).toContain(`\r\npacked_order,`);
		// the first was given other units, and is done when it is picked anew; the others lack units
		await operate(house, PickOrder, { params: { id: picked.order_id }, body: {} });
		const open = async () => (await operate(house, GetRecall, { params: { id: done.recall_id } })).json.data;
		const anew = { ...told[0], picked_anew_at: expect.any(String) };
		expect((await open()).packed_orders).toMatchObject([told[1], anew]);
		await operate(house, ShipBox, { params: { id: picked.order_id }, body: {} });
		expect((await open()).packed_orders).toMatchObject([told[1], anew]);
		await move(RestoreLot, fg_id, { all: true, ends_recall: true });
		expect((await open()).packed_orders).toMatchObject([anew]); // nothing is left to do for the other
		expect((await open()).lots).toMatchObject([{ fg_id, recalled_at: null, restored: 10 }]);
	});

	it("and each order of a box that is to be opened says what comes out of it and what goes in", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const order = await placeOrder(house, token, `cart-${batch}`, { sku, qty: 3 });
		const params = { id: order.order_id };
		const read = async () => (await operate(house, GetOperatorOrder, { params })).json.data;
		expect(await read()).toMatchObject({ pick_again: false, take_out: [], put_in: [] });
		await operate(house, PickOrder, { params, body: {} });
		await recall({ batch_number: batch });
		const told = await read();
		expect(told).toMatchObject({
			status: "placed",
			pick_again: true,
			take_out: [{ fg_id, batch_number: batch, units: 3, recalled: true }],
			put_in: [{ batch_number: batch.replace("BAD", "GOOD"), units: 3 }],
		});
		const [line] = told.timeline.filter(({ what }: { what: string }) => what === "lots_changed");
		const good = batch.replace("BAD", "GOOD");
		expect(line.why).toBe(`recalled: 3 of ${batch} out, 3 of ${good} in: ${reason}`);
		expect(line.by).toMatch(/^operator:/);
		const refused = await operate(house, ShipBox, { params, body: {} });
		expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining("pick it again")]);
		await operate(house, PickOrder, { params, body: {} });
		expect(await read()).toMatchObject({ status: "picked", pick_again: false, take_out: [], put_in: [] });
	});

	it("and a labelled box that lost units leaves only after a pick, though nobody had picked its order", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const ref = `labelled-${batch}`;
		const order = await placeOrder(house, token, ref, { sku, qty: 3 });
		const params = { id: order.order_id };
		const label = { carrier: "ups", tracking_number: `1Z-${batch}` };
		await operate(house, LabelBox, { params, body: label });
		await recall({ batch_number: batch });
		const { items } = (await operate(house, ListQueue, { query: "?limit=500" })).json.data;
		const queued = items.find(({ tracking_number }: typeof label) => tracking_number === label.tracking_number);
		expect(queued.orders).toMatchObject([{ status: "placed", to_pick: true, pick_again: true }]);
		const parts = [{ sku, qty: 1 }];
		const parcel = { order: ref, carrier: "ups", tracking: label.tracking_number };
		const imported = await operate(house, ImportTracking, { body: { parcels: [parcel] } });
		expect(imported.json.data.items).toMatchObject([{ outcome: "refused", message: expect.stringContaining(ref) }]);
		await operate(house, VoidBox, { params, body: {} }); // the units may be in the box all the same
		for (const body of [{}, { parts }]) {
			const refused = await operate(house, ShipBox, { params, body });
			expect([refused.status, refused.json.error.code]).toEqual([409, "not_possible_now"]);
			expect(refused.json.error.message).toBe(
				`The lots of order ${ref}, or the orders in its box, changed after it was picked or packed: unpack the box and pick it again. A label on the box stays valid.`,
			);
		}
		const read = async () => (await operate(house, GetOperatorOrder, { params })).json.data;
		const told = { pick_again: true, take_out: [{ fg_id, units: 3, recalled: true }] };
		expect(await read()).toMatchObject(told);
		await operate(house, LabelBox, { params, body: { ...label, tracking_number: `2Z-${batch}` } });
		expect(await read()).toMatchObject(told); // another label does not change what is in the box
		await operate(house, PickOrder, { params, body: {} });
		expect((await operate(house, ShipBox, { params, body: {} })).json.data.status).toBe("shipped");
		expect((await verify(house.db)).differences).toEqual([]);
	});

	it("and who picked from a list that was made before it is told what to put aside, and what to take", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const ref = `listed-${batch}`;
		const order = await placeOrder(house, token, ref, { sku, qty: 3 });
		const params = { id: order.order_id };
		const list = async () => {
			const { stops } = (await operate(house, MakePickList, { body: { order_ids: [order.order_id] } })).json.data;
			return stops.map((stop: { fg_id: string; units: number }) => ({ fg_id: stop.fg_id, units: stop.units }));
		};
		const before = await list();
		expect(before).toEqual([{ fg_id, units: 3 }]);
		await recall({ batch_number: batch });
		const pick = (lots: unknown) => operate(house, PickOrder, { params, body: { lots } });
		const refused = await pick(before);
		expect([refused.status, refused.json.error.code, refused.json.error.message]).toEqual([
			409,
			"not_possible_now",
			`The lots of order ${ref} are not those that were taken. Batch ${batch} was recalled: put these 3 aside, they must not be shipped. Take 3 of batch ${batch.replace("BAD", "GOOD")}.`,
		]);
		const unknown = await pick([{ fg_id: newId(), units: 3 }]);
		expect([unknown.status, unknown.json.error.message]).toEqual([400, expect.stringContaining("/lots/0/fg_id")]);
		const [now] = await list();
		expect((await pick([{ ...now, units: 2 }])).json.error.message).toContain(`Take 1 of batch`);
		expect((await pick([now])).json.data).toMatchObject({ picked: true, status: "picked" });
		expect((await pick([now])).json.data).toMatchObject({ picked: true, status: "picked" });
		// somebody who walks with the old list, after another person has picked the order
		expect((await pick(before)).json.error.message).toContain(`Batch ${batch} was recalled: put these 3 aside`);
	});

	it("and a restore ends a recall only when that is confirmed", async () => {
		const { fg_id, batch } = await stocked(5);
		await recall({ batch_number: batch });
		for (const dry_run of [false, true]) {
			const refused = await move(RestoreLot, fg_id, { units: 5, dry_run });
			expect([refused.status, refused.json.error.code]).toEqual([409, "not_possible_now"]);
			expect(refused.json.error.message).toContain(`ends the recall of batch ${batch}`);
		}
		expect(await bucketsOf(fg_id)).toMatchObject({ available: 0, quarantined: 5 });
		const done = await move(RestoreLot, fg_id, { units: 5, ends_recall: true });
		expect([done.status, done.json.data]).toEqual([200, expect.objectContaining({ moved: 5, recall_ended: true })]);
		const again = await move(QuarantineLot, fg_id, { units: 1 });
		expect(again.status).toBe(200); // it needs no confirmation any more
		expect((await move(RestoreLot, fg_id, { units: 1 })).json.data).toMatchObject({ moved: 1, recall_ended: false });
	});

	it("of one formula, or one lot; and once more when units have come to it", async () => {
		const { batch, fg_id } = await stocked(2);
		const lot = { formula: "F1", brand_code: "ACME", batch_number: batch, units: 5 };
		const other = must((await house.importWorld({ lots: [lot] })).lots[0]?.fg_id, "a lot");
		const one = (await recall({ fg_id: fg_id.toUpperCase() })).json.data;
		expect(one).toMatchObject({ fg_id, batch_number: null, moved: 2 });
		expect((await recall({ batch_number: batch, formula: "F1" })).json.data).toMatchObject({ formula: "F1", moved: 5 });
		expect((await recall({ fg_id })).json.data.recall_id).toBe(one.recall_id);
		const both = (await recall({ batch_number: batch })).json.data;
		expect(both).toMatchObject({ formula: null, moved: 0 });
		expect(both.lots.map((shown: { fg_id: string }) => shown.fg_id).toSorted()).toEqual([fg_id, other].toSorted());
		await move(RestoreLot, other, { all: true, ends_recall: true });
		expect((await recall({ batch_number: batch })).json.data).toMatchObject({ moved: 5 });
	});

	it("at the same moment, and it is one recall with one row in the audit log", async () => {
		const { sku, batch } = await stocked(300);
		await Promise.all(Array.from({ length: 250 }, () => reserve(sku, 1)));
		const rows = await auditRows(house);
		const answers = await Promise.all(Array.from({ length: 5 }, () => recall({ batch_number: batch })));
		const ids = answers.map(({ json: { data } }) => data.recall_id ?? data.run_id);
		expect(new Set(ids).size).toBe(1);
		const read = () => operate(house, GetRecall, { params: { id: String(ids[0]) } });
		await expect.poll(async () => (await read()).json.data.status, { timeout: 60_000 }).toBe("done");
		expect((await read()).json.data).toMatchObject({ moved: 300, lost: 250, left: 0 });
		expect(await auditRows(house)).toBe(rows + 1);
	});

	it.for([
		[400, {}, "either batch_number or fg_id"],
		[400, { batch_number: "B", fg_id: newId() }, "either batch_number or fg_id"],
		[400, { fg_id: newId(), formula: "F1" }, "only with batch_number"],
		[400, { batch_number: "B", reason: "" }, "/reason"],
		[404, { batch_number: "none", formula: "F1" }, 'no lot with batch number "none" of formula "F1"'],
		[404, { fg_id: newId() }, "There is no lot"],
		[404, { batch_number: "SANDBOX" }, "There is no lot"],
	] as const)("%i for %j", async ([status, body, message]) => {
		for (const dry_run of [false, true]) {
			const refused = await recall({ ...body, dry_run });
			expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
		}
		expect((await operate(house, GetRecall, { params: { id: newId() } })).status).toBe(404);
		expect((await operate(house, GetRecallCsv, { params: { id: newId() } })).status).toBe(404);
		expect((await operate(house, ListRecalls, { query: "?cursor=bm8" })).status).toBe(400);
	});
});
