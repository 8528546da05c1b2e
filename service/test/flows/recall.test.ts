import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { CancelOrder, GetOrder, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { reportRecall } from "../../src/inventory/recall/report-recall.ts";
import { newRestore, type RestoreState, restoreUnits } from "../../src/inventory/recall/restore-units.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { CUSTOMER, type Warehouse, warehouseOf } from "../contract/order-world.ts";
import { openWorld, unique, type World } from "../contract/world.ts";
import { executeIn } from "../execute-in.ts";
import { recallInSteps, restoreInSteps, takeOutInSteps } from "../recall-steps.ts";

const origin = { actor: "operator:test", requestId: null };
const reason = "lab report 77";

let world: World;
let acme: string;
let open: string;
let warehouse: Warehouse;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
	});
	acme = (await world.key({ brand: "ACME", partner: "Acme Shop", name: "acme" })).token;
	open = (await world.key({ partner: "Open Shop", name: "open" })).token;
	warehouse = warehouseOf(world);
});
afterAll(() => world.stop());

/** A SKU of one formula with a bad batch, the first to expire, and a good batch in each of these pools. */
async function badBatch(bad: Record<string, number>, good: Record<string, number>) {
	const [code, sku, batch] = [unique("F"), unique("S"), unique("BAD")];
	const pool = (name: string): string | null => (name === "shared" ? null : name);
	const { lots } = await world.has({
		formulas: [{ code, name: code, status: "active" }],
		skus: [{ sku, name: sku, kind: "single", components: [{ formula: code, per_kit: 1 }] }],
		lots: [
			...Object.entries(bad).map(([name, units]) => ({
				formula: code,
				brand_code: pool(name),
				batch_number: batch,
				units,
				expires_on: world.day(30),
			})),
			...Object.entries(good).map(([name, units]) => ({
				formula: code,
				brand_code: pool(name),
				batch_number: `${batch}-good`,
				units,
				expires_on: world.day(90),
			})),
		],
	});
	const { rows } = await world.db.query<{ fg_id: string }>("select fg_id from lot where batch_number = $1 order by 1", [
		batch,
	]);
	expect(lots.size).toBeGreaterThan(0);
	return { code, sku, batch, fgIds: rows.map(({ fg_id }) => fg_id) };
}
const reserve = async (token: string, sku: string, qty: number, brand_code?: string): Promise<string> => {
	const item = { sku, qty, ...(brand_code === undefined ? {} : { brand_code }) };
	const answer = await world.call(Reserve, token, { items: [item], external_ref: unique("cart") });
	expect(answer.status).toBe(201);
	return answer.data.reservation_token;
};
const place = async (token: string, reservation_token: string) => {
	const body = { reservation_token, customer: CUSTOMER };
	const answer = await world.call(PlaceOrder, token, body, { headers: { "idempotency-key": unique("cart") } });
	expect(answer.status).toBe(201);
	return answer.data;
};
const ordered = async (token: string, sku: string, qty: number) => place(token, await reserve(token, sku, qty));
const consume = async (token: string, sku: string, qty: number): Promise<string> => {
	const external_ref = unique("sale");
	const reservation_token = await reserve(token, sku, qty);
	expect((await world.call(Consume, token, { reservation_token, external_ref })).status).toBe(200);
	return external_ref;
};
const get = async (order: { order_id: string }, token = acme) =>
	(await world.call(GetOrder, token, undefined, { path: `/api/v1/orders/${order.order_id}` })).data;
const atp = async (token: string, sku: string, brand_code?: string): Promise<number> => {
	const item = { sku, qty: 1, ...(brand_code === undefined ? {} : { brand_code }) };
	const { data } = await world.call(Check, token, { items: [item] });
	return must(data.items[0], "an item").atp_qty;
};
const recall = async (batchNumber: string) => {
	const target = { batchNumber, formula: null, slug: null };
	const answer = await recallInSteps(world.db, { target, origin, reason });
	if (isRefusal(answer)) throw new Error(answer.message);
	return answer;
};
/** The first step only: the lots are recalled, and holds and orders still have their units. */
const begin = async (fgIds: readonly string[]) =>
	world.deps.engine.execute({ kind: "recall", origin, reason, fgIds, holders: [] });
const restore = async (fgId: string) => {
	const answer = await restoreInSteps(world.db, {
		origin,
		fgId,
		units: "all",
		reason: "false alarm",
	});
	if (isRefusal(answer)) throw new Error(answer.message);
	return answer;
};
const look = (fgIds: readonly string[], forecast = false) =>
	reportRecall(world.db, fgIds, { timeZone: "UTC", forecast, certificatesRequired: false, times: null });
const lot = async (fgId: string) => {
	const { rows } = await world.db.query(
		"select available, held, allocated, consumed, shipped, quarantined, destroyed from lot where fg_id = $1",
		[fgId],
	);
	return Object.fromEntries(Object.entries(must(rows[0], "a lot")).filter(([, units]) => units !== 0));
};
const keyIdOf = async (name: string): Promise<string> => {
	const { rows } = await world.db.query<{ key_id: string }>("select key_id from api_key where name = $1", [name]);
	return must(rows[0], "a key").key_id;
};
const report = async (name: string, externalRef: string) =>
	world.deps.engine.execute({ kind: "shipConsumed", origin, keyId: await keyIdOf(name), externalRef });
const inOrder = async (): Promise<void> => expect((await verify(world.db)).differences).toEqual([]);

/** Checks that these orders are on hold, and that their partner was notified of the reason. */
async function isTold(orders: readonly { readonly order_id: string }[]): Promise<void> {
	for (const order of orders) expect(await get(order)).toMatchObject({ status: "held", hold_reason: "lot_recalled" });
	const { rows } = await world.db.query<{ body: string }>(
		"select body from event where type = 'order.held' and order_id = any($1)",
		[orders.map(({ order_id }) => order_id)],
	);
	expect(rows.map(({ body }) => JSON.parse(body).data.reason)).toEqual(orders.map(() => "lot_recalled"));
}

describe("a recall of a batch number", () => {
	it("takes it out of every pool, picks again what it can, and lists by partner who got units and who lacks some; a dry run lists the same and changes nothing", async () => {
		const { sku, batch, fgIds, code } = await badBatch({ ACME: 20, BOLT: 5, shared: 10 }, { ACME: 5 });
		const shipped = await ordered(acme, sku, 3);
		await warehouse.pick(shipped);
		await warehouse.ship(shipped);
		const partly = await ordered(acme, sku, 4);
		await warehouse.pick(partly);
		await warehouse.ship(partly, { [sku]: 1 });
		const sale = await consume(acme, sku, 2);
		const gone = await consume(open, sku, 1);
		expect(isRefusal(await report("open", gone))).toBe(false);
		const returned = await consume(acme, sku, 1);
		await world.call(ReverseConsume, acme, { external_ref: returned });
		const picked = await ordered(acme, sku, 2);
		await warehouse.pick(picked);
		const waiting = await ordered(acme, sku, 2);
		const hold = await reserve(acme, sku, 2);
		const another = await reserve(acme, sku, 2);
		const cancelled = await ordered(acme, sku, 1);
		await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${cancelled.order_id}/cancel` });

		const before = await Promise.all(fgIds.map(lot));
		const foreseen = await look(fgIds, true);
		expect(await Promise.all(fgIds.map(lot))).toEqual(before);
		const done = await recall(batch);
		const { moved, replaced, lost } = done;
		expect(foreseen.forecast).toEqual({ moved, replaced, lost });
		expect({ moved, replaced, lost }).toEqual({ moved: 28, replaced: 5, lost: 6 });
		expect(done).toMatchObject({ fgIds, left: 0 });

		const seen = await look(fgIds);
		const { lots: _then, forecast: _forecast, ...told } = foreseen;
		expect(seen).toMatchObject(told);
		expect(seen.lots.map((one) => [one.formula, one.brandCode, one.batchNumber, one.recalledAt !== null])).toEqual([
			[code, "ACME", batch, true],
			[code, "BOLT", batch, true],
			[code, null, batch, true],
		]);
		const mine = { partner: "Acme Shop", keyName: "acme" };
		const tracking = { carrierCode: "ups", trackingNumber: "1Z999", batchNumbers: [batch] };
		expect(seen.shippedOrders).toMatchObject([
			{ ...mine, orderId: shipped.order_id, ref: shipped.ref, units: 3, ...tracking },
			{ ...mine, orderId: partly.order_id, units: 1, ...tracking },
		]);
		expect(seen.consumed).toMatchObject([
			{ ...mine, externalRef: sale, units: 2, shippedUnits: 0 },
			{ partner: "Open Shop", keyName: "open", externalRef: gone, units: 1, shippedUnits: 1 },
		]);
		const impaired = seen.impairedHolds.map(({ reservationToken, units }) => [reservationToken, units]);
		expect(Object.fromEntries(impaired)).toEqual({ [hold]: 2, [another]: 2 });
		expect(Object.fromEntries(seen.heldOrders.map(({ orderId, units }) => [orderId, units]))).toEqual({
			[waiting.order_id]: 2, // the youngest order: the spare units went to the two older ones
		});
		await isTold([waiting]);
		expect([(await get(partly)).status, (await get(picked)).status]).toEqual(["partially_shipped", "placed"]);
		expect(await Promise.all(fgIds.map((fgId) => lot(fgId)))).not.toContainEqual(
			expect.objectContaining({ available: expect.anything() }),
		);
		expect([await atp(acme, sku), await atp(open, sku, "BOLT"), await atp(open, sku)]).toEqual([0, 0, 0]);
		expect((await world.call(Release, acme, { reservation_token: hold })).status).toBe(200);
		expect(await atp(acme, sku)).toBe(0);
		await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${picked.order_id}/cancel` });
		expect(await atp(acme, sku)).toBe(2);
		expect((await recall(batch)).moved).toBe(0);
		expect((await look(fgIds)).heldOrders).toEqual(seen.heldOrders);
		await inOrder();
	});

	it("is refused when there is no such batch, or no such lot, or it is the sandbox's", async () => {
		const { fgIds } = await badBatch({ shared: 1 }, {});
		const missing = { batchNumber: "none", formula: null, slug: null };
		expect(await recallInSteps(world.db, { target: missing, origin, reason })).toMatchObject({
			refusal: "not_found",
		});
		await world.key({ brand: "SANDBOX" });
		const { rows } = await world.db.query<{ fg_id: string }>(
			"select fg_id from lot join pool using (pool_id) where brand_code = 'SANDBOX' limit 1",
		);
		const target = { fgId: must(rows[0], "a sandbox lot").fg_id };
		expect(await recallInSteps(world.db, { target, origin, reason })).toMatchObject({ refusal: "not_found" });
		expect(await recallInSteps(world.db, { target: { fgId: must(fgIds[0], "lot") }, origin, reason })).toMatchObject({
			moved: 1,
		});
	});

	it("says how far it came when it is interrupted, and the same again takes the rest", async () => {
		const { sku, batch, fgIds } = await badBatch({ ACME: 8 }, {});
		await reserve(acme, sku, 3);
		const target = { batchNumber: batch, formula: null, slug: null };
		const seen: unknown[] = [];
		const failure = await recallInSteps(world.db, { target, origin, reason }, (state) => {
			seen.push(state);
			throw new Error("pulled the plug");
		}).catch((error: unknown) => error);
		expect(failure).toMatchObject({ message: "pulled the plug" });
		expect(seen).toMatchObject([{ fgIds, moved: 5, left: 3 }]);
		expect(await atp(acme, sku)).toBe(0);
		expect(await recall(batch)).toMatchObject({ moved: 3, lost: 3, left: 0 });
		await inOrder();
	});

	it("lets nothing of its lots be consumed, placed, picked or shipped while it has not come to a hold or an order yet", async () => {
		const { sku, fgIds } = await badBatch({ ACME: 20 }, { ACME: 6 });
		const toShip = await ordered(acme, sku, 1);
		await warehouse.pick(toShip);
		const toPick = await ordered(acme, sku, 2);
		const toPlace = await reserve(acme, sku, 2);
		const toConsume = await reserve(acme, sku, 2);
		const tooMany = await reserve(acme, sku, 9);
		expect(await begin(fgIds)).toMatchObject({ moved: 4, left: 16 });
		await expect(warehouse.ship(toShip)).rejects.toThrow("recalled");
		await warehouse.pick(toPick);
		expect((await get(toPick)).items[0]?.components[0]?.lots).toMatchObject([{ units: 2 }]);
		expect((await place(acme, toPlace)).status).toBe("placed");
		const body = { reservation_token: toConsume, external_ref: unique("sale") };
		expect((await world.call(Consume, acme, body)).data).toMatchObject({ consumed_units: 2 });
		const more = { reservation_token: tooMany, external_ref: unique("sale") };
		expect((await world.call(Consume, acme, more)).verdict).toBe("410 wrong_state");
		const [fgId = ""] = fgIds;
		expect(await lot(fgId)).toEqual({ allocated: 1, quarantined: 19 });
		await inOrder();
	});

	it("sends into quarantine what comes back later: released, cancelled, given back, voided, received", async () => {
		const { sku, fgIds, code, batch } = await badBatch({ ACME: 20 }, {});
		const [fgId = ""] = fgIds;
		const shipped = await ordered(acme, sku, 2);
		await warehouse.pick(shipped);
		const { shipmentId } = await warehouse.ship(shipped);
		const sale = await consume(acme, sku, 3);
		const order = await ordered(acme, sku, 4);
		const hold = await reserve(acme, sku, 5);
		await begin(fgIds);
		await world.call(Release, acme, { reservation_token: hold });
		await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${order.order_id}/cancel` });
		await world.call(ReverseConsume, acme, { external_ref: sale });
		expect(await lot(fgId)).toEqual({ shipped: 2, quarantined: 18 });
		await warehouse.void(await get(shipped), shipmentId);
		expect(await get(shipped)).toMatchObject({ status: "held", hold_reason: "lot_recalled" });
		await world.has({
			lots: [{ formula: code, brand_code: "ACME", batch_number: batch, units: 25, expires_on: world.day(30) }],
		});
		expect(await lot(fgId)).toEqual({ quarantined: 25 });
		expect(await atp(acme, sku)).toBe(0);
		expect((await look(fgIds)).shippedOrders).toEqual([]);
		await inOrder();
	});
});

describe("a false alarm", () => {
	it("gives units back first to the orders and holds that lost theirs, and an order that is whole again goes back to where it was", async () => {
		const { sku, batch, fgIds } = await badBatch({ ACME: 12 }, {});
		const [fgId = ""] = fgIds;
		const order = await ordered(acme, sku, 4);
		const byHand = await ordered(acme, sku, 1);
		await warehouse.hold(byHand);
		const dropped = await ordered(acme, sku, 2);
		const hold = await reserve(acme, sku, 3);
		await recall(batch);
		await world.call(CancelOrder, acme, {}, { path: `/api/v1/orders/${dropped.order_id}/cancel` });
		expect((await place400(hold)).verdict).toBe("409 reservation_empty");
		expect(await restore(fgId)).toMatchObject({ moved: 12, givenBack: 8, left: 0 });
		expect(await get(order)).toMatchObject({ status: "placed", hold_reason: null });
		expect(await get(byHand)).toMatchObject({ status: "held", hold_reason: "operator" });
		expect((await place(acme, hold)).status).toBe("placed");
		expect(await lot(fgId)).toEqual({ available: 4, allocated: 8 });
		expect(await atp(acme, sku)).toBe(4);
		expect((await look(fgIds)).heldOrders).toEqual([]);
		await warehouse.pick(order);
		await warehouse.ship(order);
		await inOrder();
	});

	it("is one transaction: no reserve gets between the quarantine and those who lost units", async () => {
		const { sku, batch, fgIds } = await badBatch({ ACME: 6 }, {});
		const order = await ordered(acme, sku, 6);
		await recall(batch);
		const rivals = Array.from({ length: 12 }, () => world.call(Reserve, acme, { items: [{ sku, qty: 1 }] }));
		const [, ...answers] = await Promise.all([restore(fgIds[0] ?? ""), ...rivals]);
		expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(["409 no_inventory"]));
		expect(await get(order)).toMatchObject({ status: "placed" });
		await inOrder();
	});

	const place400 = (reservation_token: string) =>
		world.call(
			PlaceOrder,
			acme,
			{ reservation_token, customer: CUSTOMER },
			{ headers: { "idempotency-key": unique("cart") } },
		);
});

describe("a restore of several steps", () => {
	it("does not end a recall that began after its first step", async () => {
		const { fgIds } = await badBatch({ ACME: 3 }, {});
		const fgId = must(fgIds[0], "the lot");
		await takeOutInSteps(world.db, { kind: "quarantine", fgId, units: "all", reason, origin });
		await begin(fgIds);
		const afterFirst: RestoreState = { ...newRestore({ fgId, units: "all", reason: "fine" }), left: 3 };
		const facts = { actor: "operator:test", requestId: "test", memo: undefined, more: undefined };
		const step = await transaction(world.db, (tx) => restoreUnits(executeIn, tx, afterFirst, facts));
		expect(step).toMatchObject({ refusal: "invalid_input", message: expect.stringContaining("`ends_recall`") });
		expect(await lot(fgId)).toEqual({ quarantined: 3 });
	});
});

describe("units that a partner consumed and that are reported shipped", () => {
	it("are shipped, once, and a reverse finds nothing to give back", async () => {
		const { sku, fgIds } = await badBatch({ ACME: 5 }, {});
		const [fgId = ""] = fgIds;
		const sale = await consume(acme, sku, 3);
		const answer = { shippedUnits: 3 };
		expect(await report("acme", sale)).toMatchObject({ ...answer, idempotent: false });
		expect(await report("acme", sale)).toMatchObject({ ...answer, idempotent: true });
		expect(await lot(fgId)).toEqual({ available: 2, shipped: 3 });
		const back = () => world.call(ReverseConsume, acme, { external_ref: sale });
		expect((await back()).data).toMatchObject({ returned_units: 0, idempotent: false });
		expect((await back()).data).toMatchObject({ returned_units: 0, idempotent: true });
		expect(await lot(fgId)).toEqual({ available: 2, shipped: 3 });
		await inOrder();
	});

	it("are not when they were given back before, nor under a reference or by a key that consumed nothing", async () => {
		const { sku } = await badBatch({ ACME: 5 }, {});
		const sale = await consume(acme, sku, 3);
		await world.call(ReverseConsume, acme, { external_ref: sale });
		expect(await report("acme", sale)).toMatchObject({ refusal: "wrong_state" });
		expect(await report("acme", "never")).toMatchObject({ refusal: "not_found" });
		expect(await report("open", sale)).toMatchObject({ refusal: "not_found" });
		await inOrder();
	});
});
