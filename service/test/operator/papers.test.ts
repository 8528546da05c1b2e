import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { MakePickList, PackOrder } from "../../src/inventory/shipping/papers-admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { readPdf } from "../read-pdf.ts";
import { auditRows, type PlacedOrder, placeOrder } from "./placed.ts";

let house: House;
let order: PlacedOrder;

beforeAll(async () => {
	house = await openHouse();
	await house.stock({ ONE: 100 });
	const { token } = await house.mint({ scopes: ["atp.reserve", "atp.orders"] });
	order = await placeOrder(house, token, "cart-1", { note: "Ring twice." });
	await placeOrder(house, token, "cart-2");
});
afterAll(() => house.close());

it("A packing slip is a PDF of the order's box, and the audit log tells who printed it", async () => {
	const before = await auditRows(house);
	const packed = await operate(house, PackOrder, { params: { id: "cart-1" }, body: { paper: "LETTER" } });
	expect([packed.status, packed.headers["content-type"]]).toEqual([200, "application/pdf"]);
	const id = must(order.shipments[0], "its box").shipment_id;
	expect(packed.headers["x-shipment-id"]).toBe(id);
	expect(readPdf(packed.bytes).pages.flat()).toContain("Note: Ring twice.");
	expect(await auditRows(house)).toBe(before + 1);
	const { rows } = await house.db.query("select about, operation from audit_log order by seq desc limit 1");
	expect(rows).toEqual([{ about: id, operation: "pack_order" }]);
	expect((await operate(house, PackOrder, { params: { id: "nobody" }, body: {} })).json.error.code).toBe(
		"order_not_found",
	);
});

it("A pick list is for named orders, or for the queue, and leaves one row in the audit log", async () => {
	const before = await auditRows(house);
	const named = await operate(house, MakePickList, { body: { order_ids: ["cart-1"] } });
	expect(named.json.data).toMatchObject({
		units: 2,
		orders: 1,
		stops: [{ formula: "F-ONE", units: 2, orders: [{ order_id: order.order_id, ref: "cart-1", units: 2 }] }],
	});
	expect((await operate(house, MakePickList, { body: {} })).json.data).toMatchObject({ units: 4, orders: 2 });
	expect((await operate(house, MakePickList, { body: { boxes: 1 } })).json.data).toMatchObject({ orders: 1 });
	expect(await auditRows(house)).toBe(before + 3);
	for (const [body, status] of [
		[{ order_ids: ["cart-1"], boxes: 1 }, 400],
		[{ order_ids: ["nobody"] }, 404],
		[{ brand_code: "NOPE" }, 404],
	] as const)
		expect((await operate(house, MakePickList, { body })).status).toBe(status);
	expect(await auditRows(house)).toBe(before + 3);
});

it("A pick list is a paper by Accept", async () => {
	const asked = { body: { paper: "LETTER" }, headers: { Accept: "application/pdf" } } as const;
	const { status, headers, bytes } = await operate(house, MakePickList, asked);
	expect([status, headers["content-type"]]).toEqual([200, "application/pdf"]);
	const text = readPdf(bytes).pages.flat().join("\n");
	expect(text).toContain("Pick list: 4 units for 2 orders");
	expect(text).toContain("[  ]");
	expect(text).toMatch(/F-ONE, batch/);
});
