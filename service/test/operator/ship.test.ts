import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { HoldOrder } from "../../src/inventory/orders/admin-contract.ts";
import { CombineBoxes, GetBox } from "../../src/inventory/shipping/box-admin-contract.ts";
import { LabelBox, PickOrder, ShipBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { codeOf, operate } from "../operate.ts";
import { auditRows, placeOrder } from "./placed.ts";

let house: House;
let key: { readonly token: string };
const place = (ref: string, more = {}) => placeOrder(house, key.token, ref, more);
const boxOf = ({ shipments }: Awaited<ReturnType<typeof placeOrder>>) => must(shipments[0], "its box").shipment_id;
const lastAudit = async () =>
	(await house.db.query("select about, operation, code from audit_log order by seq desc limit 1")).rows[0];

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 1_000 });
	key = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
});
afterAll(() => house.close());

describe("Picking", () => {
	it("is recorded once, under any name of the order, and refused while the order is on hold", async () => {
		const { order_id: id } = await place("pick", { external_order_id: "shop-1" });
		const before = await auditRows(house);
		for (const name of ["shop-1", "pick", id]) {
			const picked = await operate(house, PickOrder, { params: { id: name }, body: {} });
			expect([picked.status, picked.json.data]).toMatchObject([200, { order_id: id, picked: true, status: "picked" }]);
		}
		expect([await auditRows(house), await lastAudit()]).toEqual([
			before + 1,
			{ about: id, operation: "pick_order", code: null },
		]);
		await place("held");
		await operate(house, HoldOrder, { params: { id: "held" }, body: { reason: "operator" } });
		const held = await operate(house, PickOrder, { params: { id: "held" }, body: {} });
		expect(codeOf(held)).toEqual([409, "not_possible_now"]);
		expect(await lastAudit()).toMatchObject({ operation: "pick_order", code: "not_possible_now" });
		const nobody = await operate(house, PickOrder, { params: { id: "nobody" }, body: {} });
		expect(codeOf(nobody)).toEqual([404, "order_not_found"]);
	});
});

describe("A box", () => {
	it("has its label, leaves in part and then whole, and comes back", async () => {
		const order = await place("way", { qty: 5 });
		const params = { id: boxOf(order) };
		const label = { carrier: "ups", service: "ground", tracking_number: "1Z1" };
		const before = await auditRows(house);
		const labelled = await operate(house, LabelBox, { params, body: label });
		expect(labelled.json.data).toMatchObject({
			status: "label_created",
			tracking_number: "1Z1",
			service_code: "ground",
		});
		expect((await operate(house, LabelBox, { params: { id: "way" }, body: label })).json).toEqual(labelled.json);
		expect(await auditRows(house)).toBe(before + 1);
		const parts = [{ order_id: order.order_id, sku: "ONE", qty: 2 }];
		const part = await operate(house, ShipBox, { params, body: { parts } });
		expect(part.json.data).toMatchObject({
			status: "shipped",
			tracking_number: "1Z1",
			items: [{ qty: 2 }],
			orders: [{ status: "partially_shipped" }],
		});
		const many = await operate(house, ShipBox, { params, body: { parts: [{ sku: "ONE", qty: 9 }] } });
		expect(codeOf(many)).toEqual([400, "invalid_input"]);
		const strange = { ...parts[0], order_id: newId() };
		expect(codeOf(await operate(house, ShipBox, { params, body: { parts: [strange] } }))).toEqual([
			400,
			"invalid_input",
		]);
		const whole = { carrier: "ups", tracking_number: "1Z2" };
		const rest = await operate(house, ShipBox, { params: { id: "way" }, body: whole });
		expect(rest.json.data).toMatchObject({
			shipment_id: params.id,
			items: [{ qty: 3 }],
			orders: [{ status: "shipped" }],
		});
		const told = await auditRows(house);
		for (const id of ["way", params.id])
			expect((await operate(house, ShipBox, { params: { id }, body: whole })).json).toEqual(rest.json);
		expect(await auditRows(house)).toBe(told);
		const other = await operate(house, ShipBox, { params, body: { tracking_number: "1Z3" } });
		expect(codeOf(other)).toEqual([409, "not_possible_now"]);
		const undone = await operate(house, VoidBox, { params, body: { reason: "It never left." } });
		expect(undone.json.data).toMatchObject({ status: "voided", orders: [{ status: "partially_shipped" }] });
		expect((await operate(house, VoidBox, { params, body: {} })).json).toEqual(undone.json);
		expect(codeOf(await operate(house, VoidBox, { params: { id: newId() }, body: {} }))).toEqual([404, "not_found"]);
		expect(codeOf(await operate(house, VoidBox, { params: { id: "nobody" }, body: {} }))).toEqual([
			404,
			"order_not_found",
		]);
		const { rows } = await house.db.query(
			"select distinct m.actor from unit_move m where m.actor in (select actor from audit_log where operation = 'ship_box')",
		);
		expect(rows).toHaveLength(1);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("is voided by the name of its order, if one box of it has left or has a label", async () => {
		await place("by-name", { external_order_id: "#77" });
		const undo = (id: string) => operate(house, VoidBox, { params: { id }, body: {} });
		const ship = (number: string, more: object = {}) =>
			operate(house, ShipBox, {
				params: { id: "by-name" },
				body: { carrier: "ups", tracking_number: number, same_parcel: true, ...more },
			});
		const nothing = await undo("#77");
		expect([codeOf(nothing), nothing.json.error.message]).toEqual([
			[409, "not_possible_now"],
			expect.stringMatching(/^No box of order #77 has left or has a label: there is nothing to void\.$/),
		]);
		const part = (await ship("V1", { parts: [{ sku: "ONE", qty: 1 }] })).json.data;
		const undone = await undo("#77");
		expect(undone.json.data).toMatchObject({ shipment_id: part.shipment_id, status: "voided" });
		expect((await undo("by-name")).json).toEqual(undone.json); // it is so already
		const [first, second] = [
			(await ship("V2", { parts: [{ sku: "ONE", qty: 1 }] })).json.data,
			(await ship("V3")).json.data,
		];
		const several = await undo("#77");
		expect([codeOf(several), several.json.error.message]).toEqual([
			[400, "invalid_input"],
			expect.stringMatching(/^2 boxes of order "#77" have left or have a label\. Give the id of one: /),
		]);
		for (const { shipment_id, tracking_number } of [first, second])
			expect(several.json.error.message).toContain(`${shipment_id} (shipped, ${tracking_number})`);
		expect((await undo(second.shipment_id)).json.data.status).toBe("voided");
	});

	it("is not shipped or labelled as nobody can have meant it, unless that is meant", async () => {
		const [first, second] = [await place("typo-1"), await place("typo-2")];
		const ship = (id: string, body: object) => operate(house, ShipBox, { params: { id }, body });
		const upps = await ship("typo-1", { carrier: "upps", tracking_number: "T1" });
		expect([codeOf(upps), upps.json.error.message]).toEqual([
			[400, "invalid_input"],
			expect.stringContaining('did you mean "ups"? With other_carrier'),
		]);
		const courier = { carrier: "bike", tracking_number: "T1", other_carrier: true };
		expect((await ship(boxOf(first), courier)).json.data).toMatchObject({ status: "shipped", tracking_url: null });
		const again = await ship(boxOf(second), { carrier: "ups", tracking_number: "T1" });
		expect(again.json.error.message).toMatch(
			/^"T1" is the tracking number of the box of order typo-1\. Set same_parcel if both/,
		);
		// the number of its own label is not another box's
		await operate(house, LabelBox, { params: { id: "typo-2" }, body: { carrier: "ups", tracking_number: "T2" } });
		expect((await ship(boxOf(second), { tracking_number: "T2" })).json.data).toMatchObject({ carrier_code: "ups" });
		expect(codeOf(await ship("typo-3", {}))).toEqual([404, "order_not_found"]);
		await place("odd");
		expect((await ship("odd", { tracking_number: " x" })).json.error.message).toMatch(/^\/tracking_number: expected/);
	});

	it("with several orders leaves whole", async () => {
		await place("a");
		await place("b");
		await operate(house, CombineBoxes, { body: { order_ids: ["a", "b"] } });
		const part = await operate(house, ShipBox, { params: { id: "b" }, body: { parts: [{ sku: "ONE", qty: 1 }] } });
		expect(codeOf(part)).toEqual([400, "invalid_input"]);
		const whole = await operate(house, ShipBox, { params: { id: "b" }, body: {} });
		expect(whole.json.data.orders).toMatchObject([
			{ ref: "a", status: "shipped" },
			{ ref: "b", status: "shipped" },
		]);
	});

	it("that has changed since it was read is left alone under If-Match, and so is one whose order is on hold", async () => {
		const params = { id: boxOf(await place("read")) };
		const read = await operate(house, GetBox, { params });
		const headers = { "if-match": String(read.headers.etag) };
		const body = { carrier: "ups", tracking_number: "R1" };
		expect((await operate(house, LabelBox, { params, body, headers })).status).toBe(200);
		expect(codeOf(await operate(house, ShipBox, { params, body: {}, headers }))).toEqual([412, "changed_meanwhile"]);
		expect((await operate(house, GetBox, { params })).json.data.status).toBe("label_created");
		await operate(house, HoldOrder, { params: { id: "read" }, body: { reason: "operator" } });
		for (const [operation, sent] of [
			[ShipBox, {}],
			[LabelBox, { carrier: "ups", tracking_number: "R2" }],
		] as const)
			expect(codeOf(await operate(house, operation, { params, body: sent }))).toEqual([409, "not_possible_now"]);
	});
});

describe("Picking what cannot be picked any more", () => {
	it("puts an order on hold for good whose lot passed its date, and says so", async () => {
		await house.stock({ OLD: 2 });
		await place("old", { sku: "OLD" });
		await house.db.query(
			"update lot set expires_on = (now() at time zone 'UTC')::date - 1 where formula_id = (select formula_id from formula where code = 'F-OLD')",
		);
		const { status, json } = await operate(house, PickOrder, { params: { id: "old" }, body: {} });
		expect([status, json.data]).toMatchObject([200, { picked: false, status: "held" }]);
		expect(json.data.why).toContain("passed its date");
		const { rows } = await house.db.query("select status from orders where ref = 'old'");
		expect(rows).toEqual([{ status: "held" }]);
	});
});
