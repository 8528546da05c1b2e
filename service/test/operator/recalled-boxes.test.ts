import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GetOperatorOrder } from "../../src/inventory/orders/admin-contract.ts";
import { RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { CombineBoxes } from "../../src/inventory/shipping/box-admin-contract.ts";
import { LabelBox, PickOrder, ShipBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "./placed.ts";
import { stockedIn } from "./stocked.ts";

let house: House;
let token: string;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await house.mint({ scopes: ["atp.reserve", "atp.orders"] }));
});
afterAll(() => house.close());

const stocked = (bad: number, good = 0) => stockedIn(house, bad, good);
const recall = (body: object) => operate(house, RecallLots, { body });

describe("After a recall", () => {
	it("a box whose label was voided before is opened like one that has its label", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const order = await placeOrder(house, token, `unlabelled-${batch}`, { sku, qty: 3 });
		const params = { id: order.order_id };
		await operate(house, LabelBox, { params, body: { carrier: "ups", tracking_number: `1Z-${batch}` } });
		await operate(house, VoidBox, { params, body: {} });
		const told = [{ order_id: order.order_id, units: 3, picked_at: null, picked_anew_at: null }];
		for (const dry_run of [true, false])
			expect((await recall({ batch_number: batch, dry_run })).json.data.packed_orders).toMatchObject(told);
		const read = async () => (await operate(house, GetOperatorOrder, { params })).json.data;
		expect(await read()).toMatchObject({ pick_again: true, take_out: [{ fg_id, units: 3, recalled: true }] });
		const refused = await operate(house, ShipBox, { params, body: {} });
		expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining("pick it again")]);
		await operate(house, PickOrder, { params, body: {} });
		expect((await operate(house, ShipBox, { params, body: {} })).json.data.status).toBe("shipped");
	});

	it("a box is opened before it goes on without an order that was cancelled for want of its units", async () => {
		const [bad, good] = [await stocked(2), await stocked(2)];
		const cancelled = await placeOrder(house, token, `cancelled-${bad.batch}`, { sku: bad.sku });
		const order = await placeOrder(house, token, `stays-${bad.batch}`, { sku: good.sku });
		const params = { id: order.order_id };
		await operate(house, CombineBoxes, { body: { order_ids: [cancelled.order_id, order.order_id] } });
		await operate(house, LabelBox, { params, body: { carrier: "ups", tracking_number: `1Z-${bad.batch}` } });
		await recall({ batch_number: bad.batch });
		const answer = await house.call(token, `/api/v1/orders/${cancelled.order_id}/cancel`, { body: {} });
		expect(answer.json.data).toMatchObject({ status: "cancelled", shipments: [] });
		expect((await operate(house, GetOperatorOrder, { params })).json.data).toMatchObject({ pick_again: true });
		const refused = await operate(house, ShipBox, { params, body: {} });
		expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining("pick it again")]);
		await operate(house, PickOrder, { params, body: {} });
		expect((await operate(house, ShipBox, { params, body: {} })).json.data.status).toBe("shipped");
		expect((await verify(house.db)).differences).toEqual([]);
	});

	it("a parcel that comes back after it is unpacked: its order says what comes out of it", async () => {
		const { sku, batch, fg_id } = await stocked(10, 3);
		const order = await placeOrder(house, token, `back-${batch}`, { sku, qty: 3 });
		const params = { id: order.order_id };
		await operate(house, ShipBox, { params, body: {} });
		await recall({ batch_number: batch });
		await operate(house, VoidBox, { params, body: {} });
		const told = (await operate(house, GetOperatorOrder, { params })).json.data;
		const take_out = [{ fg_id, batch_number: batch, units: 3, recalled: true }];
		expect(told).toMatchObject({ status: "held", pick_again: true, take_out, put_in: [] });
		const [line] = told.timeline.filter(({ what }: { what: string }) => what === "lots_changed");
		expect(line.why).toBe(`recalled: 3 of ${batch} out`);
	});

	it("a dry run names an order of which a part left, as the recall does, though nobody had picked it", async () => {
		const { sku, batch } = await stocked(10, 3);
		const order = await placeOrder(house, token, `part-${batch}`, { sku, qty: 3 });
		const params = { id: order.order_id };
		await operate(house, ShipBox, { params, body: { parts: [{ sku, qty: 1 }] } });
		const told = [{ order_id: order.order_id, units: 2, batch_numbers: [batch], picked_at: null }];
		for (const dry_run of [true, false])
			expect((await recall({ batch_number: batch, dry_run })).json.data.packed_orders).toMatchObject(told);
	});
});
