import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import {
	CancelOrder,
	CombineShipments,
	Confirm,
	GetOrder,
	ListShipments,
	PlaceOrder,
} from "../../src/inventory/orders/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { CUSTOMER, heldFor, placedFor, type Warehouse, warehouseOf } from "./order-world.ts";
import { neverIssued, openWorld, unique, type World } from "./world.ts";

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

const place = (reservation_token: string, key: string | undefined, more: object = {}, token = acme) =>
	world.call(
		PlaceOrder,
		token,
		{ reservation_token, customer: CUSTOMER, ...more },
		key === undefined ? {} : { headers: { "idempotency-key": key } },
	);
const get = (ref: string, token = acme) =>
	world.call(GetOrder, token, undefined, { path: `/api/v1/orders/${encodeURIComponent(ref)}` });
const cancel = (ref: string, token = acme) =>
	world.call(CancelOrder, token, {}, { path: `/api/v1/orders/${encodeURIComponent(ref)}/cancel` });
const totals = async (sku: string) => (await world.call(Inventory, acme, { sku })).data.totals;

describe("placing", () => {
	it("201: the units of the hold become the order's, and it waits in a box of its own", async () => {
		const { token, sku, lots, formulaId } = await heldFor(world, acme, { qty: 2, perKit: 3 });
		const key = unique("cart");
		const answer = await place(token, key, { external_order_id: "shop-1", note: "Leave it at the door." });
		expect(answer.status).toBe(201);
		expect(answer.data).toMatchObject({
			ref: key,
			external_order_id: "shop-1",
			status: "placed",
			version: 1,
			brand_code: "ACME",
			environment: "live",
			reservation_token: token,
			cancellable: true,
			hold_reason: null,
			customer: CUSTOMER,
			service_level: "standard",
			note: "Leave it at the door.",
			items: [
				{
					sku,
					brand_code: "ACME",
					qty: 2,
					shipped_qty: 0,
					components: [{ formula_id: formulaId, per_kit: 3, units: 6, lots: [{ fg_id: lots[0], units: 6 }] }],
				},
			],
			shipments: [{ status: "awaiting_shipment", combined: false, items: [{ sku, qty: 2 }], tracking_url: null }],
		});
		expect(await totals(sku)).toEqual({ on_hand: 4, reserved: 2, atp: 2 });
		expect((await get(key)).text).toBe(answer.text);
		expect(await world.audit()).toEqual([]);
	});

	it("200: the same Idempotency-Key answers the same order, byte for byte as long as it has not changed", async () => {
		const { token } = await heldFor(world, acme);
		const key = unique("cart");
		const first = await place(token, key);
		const again = await place(token.toUpperCase(), key);
		expect([first.status, again.status]).toEqual([201, 200]);
		expect(again.header("idempotent-replayed")).toBe("true");
		expect(again.text).toBe(first.text);
		await warehouse.pick(first.data);
		expect((await place(token, key)).data).toMatchObject({ status: "picked", version: 2, cancellable: false });
	});

	it("/confirm does the same, says that it is deprecated, and takes the token for a missing Idempotency-Key", async () => {
		const { token } = await heldFor(world, acme);
		const answer = await world.call(Confirm, acme, { reservation_token: token, customer: CUSTOMER });
		expect(answer.status).toBe(201);
		expect(answer.data.ref).toBe(token);
		expect(answer.header("deprecation")).toMatch(/^@\d+$/);
		expect(answer.header("sunset")).toMatch(/GMT$/);
		expect(answer.header("link")).toContain('</api/v1/orders>; rel="successor-version"');
		expect((await place(token, token)).status).toBe(200);
	});

	it("a hold that became an order is neither released nor consumed nor reversed, and nothing is reserved under it again", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
		const external_ref = unique("cart");
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref });
		const { reservation_token } = data;
		await place(reservation_token, unique("cart"));
		expect((await world.call(Release, acme, { reservation_token })).verdict).toBe("410 gone");
		expect((await world.call(Consume, acme, { reservation_token, external_ref })).verdict).toBe("410 wrong_state");
		expect((await world.call(ReverseConsume, acme, { external_ref })).verdict).toBe("409 not_reversible");
		expect((await place(reservation_token, unique("cart"))).verdict).toBe("409 reservation_used");
	});

	it("refuses what is wrong, in the order: header, body, customer, mismatch, hold", async () => {
		const { token } = await heldFor(world, acme);
		const bad = { customer: { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, country: "XX" } } };
		expect((await place(token, undefined)).verdict).toBe("400 idempotency_required");
		expect((await place(token, "")).verdict).toBe("400 idempotency_required");
		expect((await place(token, "a b")).verdict).toBe("400 invalid_input");
		expect((await place(token, "x".repeat(201))).verdict).toBe("400 invalid_input");
		expect((await place(token, unique("cart"), { ...bad, more: 1 })).verdict).toBe("400 invalid_input");
		expect((await place(token, unique("cart"), bad)).verdict).toBe("422 invalid_customer");
		expect((await place(neverIssued(), unique("cart"))).verdict).toBe("404 reservation_not_found");
		const key = unique("cart");
		await place(token, key);
		expect((await place(neverIssued(), key)).verdict).toBe("422 idempotency_mismatch");
		expect((await place(neverIssued(), key, bad)).verdict).toBe("422 invalid_customer");
	});

	it.each([
		["name", { ...CUSTOMER, name: undefined }],
		["ship_to", { name: "A" }],
		["a state in the US", { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, state: undefined } }],
		["a country in capitals", { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, country: "us" } }],
		["known fields only", { ...CUSTOMER, nick: "x" }],
	])("422 invalid_customer: wants %s", async (_what, customer) => {
		const answer = await place(neverIssued(), unique("cart"), { customer });
		expect(answer.verdict).toBe("422 invalid_customer");
		expect(answer.error.message).toContain("/customer");
	});

	it("tells the states of a hold apart", async () => {
		const released = await heldFor(world, acme);
		await world.call(Release, acme, { reservation_token: released.token });
		expect((await place(released.token, unique("cart"))).verdict).toBe("410 reservation_gone");
		const expired = await heldFor(world, acme);
		await world.lapse(expired.token);
		expect((await place(expired.token, unique("cart"))).verdict).toBe("410 reservation_expired");
		const consumed = await heldFor(world, acme);
		await world.call(Consume, acme, { reservation_token: consumed.token, external_ref: unique("sale") });
		expect((await place(consumed.token, unique("cart"))).verdict).toBe("409 reservation_used");
	});

	it("403 for a hold of another key of the partner, 404 for one of another partner", async () => {
		const partner = unique("partner");
		const one = await world.key({ brand: "ACME", partner });
		const other = await world.key({ brand: "ACME", partner });
		const { token } = await heldFor(world, one.token);
		expect((await place(token, unique("cart"), {}, other.token)).verdict).toBe("403 reservation_forbidden");
		expect((await place(token, unique("cart"))).verdict).toBe("404 reservation_not_found");
		const { order } = await placedFor(world, one.token);
		expect((await get(order.order_id, other.token)).verdict).toBe("403 order_forbidden");
		expect((await get(order.order_id)).verdict).toBe("404 order_not_found");
		expect((await cancel(order.order_id, other.token)).verdict).toBe("403 order_forbidden");
		expect((await cancel(order.order_id)).verdict).toBe("404 order_not_found");
		expect((await get(order.ref, other.token)).verdict).toBe("404 order_not_found");
	});

	it("409 while kits of the hold are not whole", async () => {
		const some = await heldFor(world, acme, {
			lots: [
				{ brand: "ACME", units: 1 },
				{ brand: "ACME", units: 1 },
			],
		});
		await world.quarantine(some.lots[0] as string, "all");
		expect((await place(some.token, unique("cart"))).verdict).toBe("409 kit_incomplete");
		await world.quarantine(some.lots[1] as string, "all");
		expect((await place(some.token, unique("cart"))).verdict).toBe("409 reservation_empty");
	});

	it("422 unresolved_stack when a part of a kit is no longer made", async () => {
		const [a, b] = [
			await world.stocked([{ brand: "ACME", units: 5 }]),
			await world.stocked([{ brand: "ACME", units: 5 }]),
		];
		const sku = unique("KIT");
		const components = [a, b].map(({ code }) => ({ formula: code, per_kit: 1 }));
		await world.has({ skus: [{ sku, name: sku, kind: "kit", components }] });
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		await world.has({ formulas: [{ code: b.code, name: b.code, status: "archived" }] });
		expect((await place(data.reservation_token, unique("cart"))).verdict).toBe("422 unresolved_stack");
	});
});

describe("cancelling", () => {
	it("200: the units go back to their lots, and again answers the same record", async () => {
		const { order, sku, token } = await placedFor(world, acme);
		const answer = await cancel(order.ref);
		expect(answer.data).toMatchObject({
			status: "cancelled",
			cancellable: false,
			version: 2,
			shipments: [{ status: "cancelled" }],
		});
		expect(await totals(sku)).toEqual({ on_hand: 12, reserved: 0, atp: 12 });
		expect((await cancel(order.order_id)).text).toBe(answer.text);
		expect((await place(token, unique("cart"))).verdict).toBe("409 reservation_used");
		expect((await place(token, order.ref)).data.status).toBe("cancelled");
		expect(await world.audit()).toEqual([]);
	});

	it("a held order can be cancelled, a picked or shipped one cannot", async () => {
		const held = await placedFor(world, acme);
		await warehouse.hold(held.order);
		expect((await get(held.ref)).data).toMatchObject({
			status: "held",
			hold_reason: "operator",
			shipments: [{ status: "on_hold" }],
		});
		expect((await cancel(held.ref)).data.status).toBe("cancelled");
		const picked = await placedFor(world, acme);
		await warehouse.pick(picked.order);
		expect((await cancel(picked.ref)).verdict).toBe("409 order_not_cancellable");
		await warehouse.ship(picked.order);
		expect((await cancel(picked.ref)).verdict).toBe("409 order_not_cancellable");
	});
});

describe("shipping", () => {
	it("whole, and in parts, with the lots on every item and an event for each", async () => {
		const { order, sku, lots } = await placedFor(world, acme, {
			qty: 3,
			lots: [
				{ brand: "ACME", units: 2, expires: world.day(9) },
				{ brand: "ACME", units: 5 },
			],
		});
		const part = await warehouse.ship(order, { [sku]: 1 });
		const halfway = (await get(order.ref)).data;
		expect(halfway).toMatchObject({ status: "partially_shipped", items: [{ shipped_qty: 1 }] });
		expect(halfway.shipments.map(({ status, items }) => [status, items.map(({ qty }) => qty)])).toEqual([
			["awaiting_shipment", [2]],
			["shipped", [1]],
		]);
		await warehouse.ship(order);
		const done = (await get(order.ref)).data;
		expect(done).toMatchObject({
			status: "shipped",
			items: [
				{
					shipped_qty: 3,
					components: [
						{
							lots: [
								{ fg_id: lots[0], units: 2 },
								{ fg_id: lots[1], units: 1 },
							],
						},
					],
				},
			],
		});
		expect(done.shipments.find(({ shipment_id }) => shipment_id === part.shipmentId)?.items).toMatchObject([
			{ qty: 1, lots: [{ units: 1 }] },
		]);
		const { rows } = await world.db.query<{ body: string }>("select body from event where order_id = $1 order by seq", [
			order.order_id,
		]);
		expect(rows.map(({ body }) => JSON.parse(body).data.final)).toEqual([false, true]);
		expect(await totals(sku)).toEqual({ on_hand: 4, reserved: 0, atp: 4 });
		expect(await world.audit()).toEqual([]);
	});

	it("a voided shipment gives its units back to the order, which ships again", async () => {
		const { order } = await placedFor(world, acme);
		await warehouse.pick(order);
		const { shipmentId } = await warehouse.ship(order);
		await warehouse.void((await get(order.ref)).data, shipmentId);
		const back = (await get(order.ref)).data;
		expect(back).toMatchObject({ status: "picked", shipped_at: null, items: [{ shipped_qty: 0 }] });
		expect(back.shipments.map(({ status }) => status)).toEqual(["voided", "awaiting_shipment"]);
		await warehouse.ship(back);
		expect((await get(order.ref)).data.status).toBe("shipped");
		expect(await world.audit()).toEqual([]);
	});

	it("a recall picks other units, and holds the order when there are none", async () => {
		const { order, lots, sku } = await placedFor(world, acme, {
			lots: [
				{ brand: "ACME", units: 2, expires: world.day(9) },
				{ brand: "ACME", units: 2 },
			],
		});
		await warehouse.pick(order);
		await world.quarantine(lots[0] as string, "all");
		expect((await get(order.ref)).data).toMatchObject({
			status: "placed",
			picked_at: expect.any(String),
			items: [{ components: [{ lots: [{ fg_id: lots[1], units: 2 }] }] }],
		});
		await world.quarantine(lots[1] as string, "all");
		expect((await get(order.ref)).data).toMatchObject({
			status: "held",
			hold_reason: "lot_recalled",
			cancellable: true,
		});
		const { rows } = await world.db.query<{ body: string }>("select body from event where order_id = $1", [
			order.order_id,
		]);
		expect(rows.map(({ body }) => JSON.parse(body).data)).toMatchObject([
			{ reason: "lot_recalled", action: "manufacturer", order_status: "held" },
		]);
		expect((await totals(sku)).on_hand).toBe(0);
		expect(await world.audit()).toEqual([]);
	});
});

describe("combining", () => {
	it("puts orders into one box, answers the same again, and ships them together", async () => {
		const [a, b] = [await placedFor(world, acme), await placedFor(world, acme)];
		const answer = await world.call(CombineShipments, acme, { order_refs: [a.ref, b.order.order_id] });
		expect(answer.data).toMatchObject({
			combined: true,
			orders: [{ ref: a.ref }, { ref: b.ref }],
			items: [{ order_id: a.order.order_id }, { order_id: b.order.order_id }],
		});
		expect((await world.call(CombineShipments, acme, { order_refs: [b.ref, a.ref] })).text).toBe(answer.text);
		const c = await placedFor(world, acme);
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, c.ref] })).verdict).toBe("409 wrong_state");
		await warehouse.ship([a.order, b.order]);
		expect((await get(a.ref)).data.status).toBe("shipped");
		expect((await get(b.ref)).data.shipments).toMatchObject([{ status: "shipped", combined: true }]);
		expect(await world.audit()).toEqual([]);
	});

	it("tells of the box that an order left, also when the list is asked for that order alone", async () => {
		const [a, b] = [await placedFor(world, acme), await placedFor(world, acme)];
		const own = b.order.shipments[0]?.shipment_id;
		const { data } = await world.call(CombineShipments, acme, { order_refs: [a.ref, b.ref] });
		const told = (await world.call(ListShipments, acme, { order_ref: b.ref })).data.items;
		expect(Object.fromEntries(told.map(({ shipment_id, status }) => [shipment_id, status]))).toEqual({
			[own ?? ""]: "cancelled",
			[data.shipment_id]: "awaiting_shipment",
		});
		expect((await world.call(ListShipments, acme, { order_ref: a.ref })).data.items).toHaveLength(1);
	});

	it("refuses fewer than two, other receivers, other addresses, other levels, and orders that are not placed", async () => {
		const [a, b] = [await placedFor(world, acme), await placedFor(world, acme)];
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, a.order.order_id] })).verdict).toBe(
			"400 invalid_input",
		);
		const far = await heldFor(world, acme);
		const key = unique("cart");
		await place(far.token, key, { customer: { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, city: "Salem" } } });
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, key] })).verdict).toBe("400 invalid_input");
		const neighbour = unique("cart");
		await place((await heldFor(world, acme)).token, neighbour, { customer: { ...CUSTOMER, name: "Grace Neighbour" } });
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, neighbour] })).verdict).toBe(
			"400 invalid_input",
		);
		await warehouse.pick(b.order);
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, b.ref] })).verdict).toBe("409 wrong_state");
		expect((await world.call(CombineShipments, acme, { order_refs: [a.ref, "nope"] })).verdict).toBe(
			"404 order_not_found",
		);
	});

	it("a cancelled order leaves the box, and the others stay", async () => {
		const [a, b] = [await placedFor(world, acme), await placedFor(world, acme)];
		await world.call(CombineShipments, acme, { order_refs: [a.ref, b.ref] });
		await cancel(a.ref);
		expect((await get(b.ref)).data.shipments).toMatchObject([
			{ status: "awaiting_shipment", combined: false, orders: [{ ref: b.ref }] },
		]);
		expect((await get(a.ref)).data).toMatchObject({ status: "cancelled", shipments: [] });
		expect(await world.audit()).toEqual([]);
	});
});
