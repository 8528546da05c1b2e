import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CancelOrder, GetOrder, ListOwnOrders, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { CUSTOMER, heldFor, placedFor, type Warehouse, warehouseOf } from "./order-world.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;
let warehouse: Warehouse;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	warehouse = warehouseOf(world);
});
afterAll(() => world.stop());

const get = (ref: string, token: string) =>
	world.call(GetOrder, token, undefined, { path: `/api/v1/orders/${encodeURIComponent(ref)}` });
const cancel = (ref: string, token: string) =>
	world.call(CancelOrder, token, {}, { path: `/api/v1/orders/${encodeURIComponent(ref)}/cancel` });

describe("the list of a key's own orders", () => {
	const list = async (query: object, token: string) => (await world.call(ListOwnOrders, token, query)).data;
	const refsOf = async (query: object, token: string) => (await list(query, token)).items.map(({ ref }) => ref);

	it("has each as it is read alone, in the order of changes, and after a cursor what changed since", async () => {
		const { token } = await world.key({ brand: "ACME" });
		const [a, b] = [await placedFor(world, token), await placedFor(world, token)];
		const first = await list({}, token);
		expect(first.items.map(({ ref }) => ref)).toEqual([a.ref, b.ref]);
		expect(first.items[0]).toEqual((await get(a.ref, token)).data);
		expect(await refsOf({ cursor: first.next_cursor }, token)).toEqual([]);
		await warehouse.pick(a.order);
		expect(await refsOf({ cursor: first.next_cursor }, token)).toEqual([a.ref]);
		expect(await refsOf({}, token)).toEqual([b.ref, a.ref]);
		const page = await list({ limit: 1 }, token);
		expect([page.has_more, await refsOf({ limit: 1, cursor: page.next_cursor }, token)]).toEqual([true, [a.ref]]);
	});

	it("has an order again whose box changed, because its reply shows the box", async () => {
		const { token } = await world.key({ brand: "ACME" });
		const { ref, order } = await placedFor(world, token);
		const { next_cursor: cursor } = await list({}, token);
		const parcel = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z" };
		await world.deps.engine.execute({ kind: "createLabel", orderId: order.order_id, ...parcel });
		const { items } = await list({ cursor }, token);
		expect(items.map(({ ref: again, shipments }) => [again, shipments[0]?.tracking_number])).toEqual([[ref, "1Z"]]);
	});

	it("is filtered by the partner's own id, by status and by time, and refuses what is no filter", async () => {
		const { token } = await world.key({ brand: "ACME" });
		const held = await heldFor(world, token);
		const [named, other] = [unique("cart"), await placedFor(world, token)];
		const body = { reservation_token: held.token, customer: CUSTOMER, external_order_id: "shop-77" };
		await world.call(PlaceOrder, token, body, { headers: { "idempotency-key": named } });
		expect(await refsOf({ external_order_id: "shop-77" }, token)).toEqual([named]);
		expect(await refsOf({ external_order_id: "shop-78" }, token)).toEqual([]);
		await cancel(named, token);
		expect(await refsOf({ status: "cancelled" }, token)).toEqual([named]);
		expect(await refsOf({ external_order_id: "shop-77", status: "placed" }, token)).toEqual([]);
		expect(await refsOf({ placed_after: other.order.placed_at }, token)).toEqual(
			other.order.placed_at < (await get(named, token)).data.placed_at ? [named] : [],
		);
		expect(await refsOf({ placed_after: "2020-01-01T00:00:00Z" }, token)).toEqual([other.ref, named]);
		expect(await refsOf({ placed_after: "2100-01-01T00:00:00Z" }, token)).toEqual([]);
		const wrong = [{ placed_after: "yesterday" }, { status: "gone" }, { cursor: "x" }, { ref: "y" }];
		for (const query of wrong)
			expect((await world.call(ListOwnOrders, token, query as object)).verdict).toBe("400 invalid_input");
	});
});
