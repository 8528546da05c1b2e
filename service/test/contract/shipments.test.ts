import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ListShipments } from "../../src/inventory/orders/contract.ts";
import { CUSTOMER, placedFor, type Warehouse, warehouseOf } from "./order-world.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let acme: string;
let warehouse: Warehouse;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	acme = (await world.key({ brand: "ACME" })).token;
	warehouse = warehouseOf(world);
});
afterAll(() => world.stop());

describe("the list of shipments", () => {
	it("follows every change, from a cursor on", async () => {
		const begin = (await world.call(ListShipments, acme, { limit: 500 })).data;
		const { order } = await placedFor(world, acme);
		const placed = (await world.call(ListShipments, acme, { cursor: begin.next_cursor })).data;
		expect(placed.items.map(({ status }) => status)).toEqual(["awaiting_shipment"]);
		await warehouse.ship(order);
		const shipped = (await world.call(ListShipments, acme, { cursor: placed.next_cursor })).data;
		expect(shipped.items).toMatchObject([
			{ status: "shipped", orders: [{ order_id: order.order_id }], carrier_code: "ups" },
		]);
		expect((await world.call(ListShipments, acme, { order_ref: order.ref })).data.items).toHaveLength(1);
		expect((await world.call(ListShipments, acme, { order_ref: "nope" })).data.items).toEqual([]);
	});

	it("another partner of the brand sees a box without its order's references and the customer's place", async () => {
		const beside = (await world.key({ brand: "ACME" })).token;
		const { order } = await placedFor(world, acme);
		const see = async (token: string) =>
			(await world.call(ListShipments, token, { limit: 500 })).data.items.find(
				({ orders }) => orders[0]?.order_id === order.order_id,
			);
		expect(await see(acme)).toMatchObject({ orders: [{ ref: order.ref }], ship_to: expect.any(Object) });
		const masked = await see(beside);
		expect(masked).toMatchObject({ orders: [{ ref: null, external_order_id: null }], ship_to: null });
		for (const secret of [order.ref, CUSTOMER.name, CUSTOMER.email])
			expect(JSON.stringify(masked)).not.toContain(secret);
	});

	it("an unbound key must name a brand", async () => {
		const unbound = (await world.key()).token;
		expect((await world.call(ListShipments, unbound, {})).verdict).toBe("400 invalid_input");
		expect((await world.call(ListShipments, unbound, { brand_code: "NOPE" })).verdict).toBe("422 unknown_brand_code");
		expect((await world.call(ListShipments, acme, { brand_code: "NOPE" })).verdict).toBe("403 brand_mismatch");
		expect((await world.call(ListShipments, unbound, { brand_code: "ACME", limit: 1 })).status).toBe(200);
	});
});
