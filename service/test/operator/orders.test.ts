import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import {
	CancelOperatorOrder,
	GetOperatorOrder,
	HoldOrder,
	ListOrders,
	ReleaseOrder,
} from "../../src/inventory/orders/admin-contract.ts";
import { RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { RestoreLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
let key: { readonly token: string; readonly pk: string };
let lot: string;

beforeAll(async () => {
	house = await openHouse();
	lot = must((await house.stock({ ONE: 50 })).lots[0]?.fg_id, "a lot");
	key = await house.mint({ scopes: ["atp.reserve", "atp.orders", "atp.inventory"] });
});
afterAll(() => house.close());

async function place(ref: string, more: object = {}): Promise<string> {
	const held = await house.call(key.token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 2 }] } });
	const body = { reservation_token: held.json.data.reservation_token, customer: CUSTOMER, ...more };
	const placed = await house.call(key.token, "/api/v1/orders", { body, headers: { "Idempotency-Key": ref } });
	return placed.json.data.order_id;
}
const find = async (query: string): Promise<string[]> =>
	(await operate(house, ListOrders, { query })).json.data.items.map(({ ref }: { ref: string }) => ref);
const available = async (): Promise<number> =>
	(await house.db.query<{ available: number }>("select available from lot where fg_id = $1", [lot])).rows[0]
		?.available ?? -1;

describe("Operators", () => {
	it("list the orders of every partner by status, key, brand and text, page by page", async () => {
		for (const ref of ["a", "b", "c"]) await place(ref, { external_order_id: `shop-${ref}` });
		expect(await find("")).toEqual(["c", "b", "a"]);
		expect(await find(`?key=${key.pk}&status=placed`)).toEqual(["c", "b", "a"]);
		expect(await find("?status=cancelled")).toEqual([]);
		expect(await find("?q=shop-b")).toEqual(["b"]);
		const first = (await operate(house, ListOrders, { query: "?limit=2" })).json.data;
		expect(await find(`?limit=2&cursor=${first.next_cursor}`)).toEqual(["a"]);
		for (const query of ["?key=nobody", "?brand_code=NOPE"])
			expect((await operate(house, ListOrders, { query })).status).toBe(404);
		expect((await operate(house, ListOrders, { query: "?cursor=eA" })).status).toBe(400);
		await place("numbered", { external_order_id: "#1001" });
		// as people say it, and as it is written
		for (const query of ["?q=1001", "?q=%231001"]) expect(await find(query)).toEqual(["numbered"]);
		expect(await find("?q=100")).toEqual([]);
	});

	it("put an order on hold once, release it, and read who did what and why", async () => {
		const orderId = await place("held");
		const params = { id: "held" };
		const body = { reason: "address_invalid", detail: "no such street" };
		const before = await auditRows(house);
		const held = await operate(house, HoldOrder, { params, body });
		expect([held.status, held.json.data.status, held.json.data.hold_detail]).toEqual([200, "held", body.detail]);
		expect((await operate(house, HoldOrder, { params, body })).status).toBe(200);
		expect(await auditRows(house)).toBe(before + 1);
		const other = await operate(house, HoldOrder, { params, body: { reason: "operator" } });
		expect([other.status, other.json.error.code]).toEqual([409, "not_possible_now"]);
		const released = await operate(house, ReleaseOrder, { params: { id: orderId }, body: { reason: "found it" } });
		expect([released.status, released.json.data.status]).toEqual([200, "placed"]);
		expect((await operate(house, ReleaseOrder, { params, body: {} })).json.error.code).toBe("not_possible_now");
		const { timeline } = (await operate(house, GetOperatorOrder, { params })).json.data;
		const by = expect.stringMatching(/^operator:/);
		expect(timeline).toMatchObject([
			{ what: "placed", by: `key:${key.pk}` },
			{ what: "held", by, why: "address_invalid: no such street" },
			{ what: "released", by, why: "found it" },
		]);
	});

	it("read that stock was taken from an order, also after it came back", async () => {
		const { lots } = await house.stock({ FEW: 3 });
		const params = { fg_id: must(lots[0]?.fg_id, "a lot") };
		const held = await house.call(key.token, "/api/v1/reserve", { body: { items: [{ sku: "FEW", qty: 3 }] } });
		const { reservation_token } = held.json.data;
		const headers = { "Idempotency-Key": "few" };
		await house.call(key.token, "/api/v1/orders", { body: { reservation_token, customer: CUSTOMER }, headers });
		await operate(house, RecallLots, { body: { fg_id: params.fg_id, reason: "lab report 77" } });
		const back = await operate(house, RestoreLot, {
			params,
			body: { all: true, ends_recall: true, reason: "the laboratory erred" },
		});
		expect(back.json.error).toBeUndefined();
		const { timeline, status } = (await operate(house, GetOperatorOrder, { params: { id: "few" } })).json.data;
		expect(status).toBe("placed");
		expect(timeline.map(({ what, why }: { what: string; why: string }) => [what, why])).toEqual([
			["placed", null],
			["lots_changed", "recalled: 3 of B1 out: lab report 77"],
			["held", expect.stringContaining("lot_recalled")],
			["lots_changed", "3 of B1 in"],
		]);
	});

	it("cancel an order: its units are free, once, and its reason is kept", async () => {
		const orderId = await place("gone");
		const params = { id: orderId };
		const free = await available();
		const cancelled = await operate(house, CancelOperatorOrder, { params, body: { reason: "a double" } });
		expect(cancelled.json.data).toMatchObject({ status: "cancelled", cancel_reason: "a double" });
		expect(await available()).toBe(free + 2);
		const before = await auditRows(house);
		expect((await operate(house, CancelOperatorOrder, { params, body: {} })).status).toBe(200);
		expect([await available(), await auditRows(house)]).toEqual([free + 2, before]);
		const { rows } = await house.db.query(
			"select 1 from unit_move m join audit_log a using (actor) where m.cause = 'cancel' and a.about = $1",
			[orderId],
		);
		expect(rows.length).toBeGreaterThan(0);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("cancel beside its partner: the units come back once", async () => {
		for (let n = 0; n < 5; n++) {
			const free = await available();
			const orderId = await place(`race-${n}`);
			const [byOperator, byPartner] = await Promise.all([
				operate(house, CancelOperatorOrder, { params: { id: orderId }, body: {} }),
				house.call(key.token, `/api/v1/orders/${orderId}/cancel`, { body: {} }),
			]);
			expect([byOperator.status, byPartner.status]).toEqual([200, 200]);
			expect(await available()).toBe(free);
		}
	});

	it("change an order only as they read it, when they say so", async () => {
		const params = { id: await place("read") };
		const read = await operate(house, GetOperatorOrder, { params });
		const headers = { "if-match": String(read.headers.etag) };
		const body = { reason: "operator" };
		expect((await operate(house, HoldOrder, { params, body, headers })).status).toBe(200);
		const late = await operate(house, CancelOperatorOrder, { params, body: {}, headers });
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
	});

	it("are told that there is no such order, or that several have the name", async () => {
		for (const operation of [GetOperatorOrder, ReleaseOrder, CancelOperatorOrder]) {
			const body = operation === GetOperatorOrder ? {} : { body: {} };
			const { status, json } = await operate(house, operation, { params: { id: newId() }, ...body });
			expect([status, json.error.code]).toEqual([404, "order_not_found"]);
		}
		for (const ref of ["one", "two"]) await place(ref, { external_order_id: "same" });
		const { status, json } = await operate(house, GetOperatorOrder, { params: { id: "same" } });
		expect([status, json.error.message]).toEqual([400, expect.stringContaining("2 orders have the name")]);
	});
});
