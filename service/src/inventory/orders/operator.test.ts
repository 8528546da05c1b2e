import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CUSTOMER, changeBox, changeOrder, placedFor } from "../../../test/contract/order-world.ts";
import { openWorld, unique, type World } from "../../../test/contract/world.ts";
import { granted } from "../../../test/granted.ts";
import { newId } from "../../ground/lib/ids.ts";
import { listsOfPrimary } from "../../ground/pg/primary-reads.ts";
import { selectEventPage } from "../../partners/webhooks/operator-sql.ts";
import { Reserve } from "../holds/contract.ts";
import { listQueue } from "./box-sql.ts";
import { type ChangeDeps, voidShipmentById } from "./change-named.ts";
import { CombineShipments, PlaceOrder } from "./contract.ts";
import { findNamedOrder } from "./find-order.ts";
import { listOrders } from "./list-orders.ts";
import type { ShipCommand } from "./ship.ts";
import { lookAtTracked, shipTracked } from "./ship-tracked.ts";
import { showOrder } from "./show-order.ts";

const origin = { actor: "operator:test", requestId: null };
const RULES = { timeZone: "UTC", certificatesRequired: false };
const NO_PARCEL = { carrierCode: null, serviceCode: null, trackingNumber: null };
const WHOLE = { kind: "ship", origin, items: null, ...NO_PARCEL, carrierCode: "ups", trackingNumber: "1Z" } as const;

let world: World;
let deps: ChangeDeps;
let acme: string;

beforeAll(async () => {
	world = await openWorld();
	deps = { db: world.db, engine: world.deps.engine };
	await world.has({ brands: ["ACME", "BOLT"].map((code) => ({ code, name: code })) });
	acme = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const shown = async (name: string) => await showOrder(world.db, granted(await findNamedOrder(world.db, name)).orderId);
const statusOf = async (name: string) => (await shown(name)).order.status;

/** An order with different fields in its request. */
async function placedWith(more: object, token = acme, brand = "ACME") {
	const { sku } = await world.stocked([{ brand, units: 12 }]);
	const { data } = await world.call(Reserve, token, { items: [{ sku, qty: 2 }] });
	const ref = unique("cart");
	const body = { reservation_token: data.reservation_token, customer: CUSTOMER, ...more };
	const { data: order } = await world.call(PlaceOrder, token, body, { headers: { "idempotency-key": ref } });
	return { ref, sku, order };
}
async function combined() {
	const [first, second] = [await placedWith({}), await placedWith({})];
	const body = { order_refs: [first.ref, second.ref] };
	const { data: box } = await world.call(CombineShipments, acme, body);
	return { first, second, box };
}

describe("An order is named", () => {
	it("by its id in either case, by its Idempotency-Key and by its partner's own id", async () => {
		const external = unique("shop");
		const { ref, order } = await placedWith({ external_order_id: external });
		for (const name of [order.order_id, order.order_id.toUpperCase(), ref, external]) {
			expect(granted(await findNamedOrder(world.db, name)), name).toMatchObject({
				orderId: order.order_id,
				token: order.reservation_token,
			});
		}
	});

	it("by no name that several have, and the answer says which there are", async () => {
		const external = unique("shop");
		const orders = [
			await placedWith({ external_order_id: external }),
			await placedWith({ external_order_id: external }),
		];
		const answer = await findNamedOrder(world.db, external);
		expect(answer).toMatchObject({
			refusal: "invalid_input",
			message: expect.stringMatching(/^2 orders have the name /),
		});
		for (const { order } of orders) expect(answer).toMatchObject({ message: expect.stringContaining(order.order_id) });
	});

	it("by its id before anything that is called like it", async () => {
		const { order } = await placedWith({});
		const { order: other } = await placedWith({ external_order_id: order.order_id });
		expect(granted(await findNamedOrder(world.db, order.order_id)).orderId).toBe(order.order_id);
		expect(granted(await findNamedOrder(world.db, other.order_id)).orderId).toBe(other.order_id);
	});

	it("by nothing that no order has", async () => {
		for (const name of [newId(), "nobody", ""]) {
			expect(await findNamedOrder(world.db, name)).toMatchObject({ refusal: "order_not_found" });
		}
	});
});

describe("The list of orders", () => {
	it("is the newest first, by key, brand and status, and says whether there are more", async () => {
		const key = await world.key({ brand: "BOLT" });
		const [first, second] = [await placedWith({}, key.token, "BOLT"), await placedWith({}, key.token, "BOLT")];
		const ofKey = { keyId: key.keyId, brandCode: null, status: null };
		const list = await listOrders(listsOfPrimary(world.db), ofKey, 9, RULES);
		expect(list.hasMore).toBe(false);
		expect(list.items.map(({ orderId }) => orderId)).toEqual([second.order.order_id, first.order.order_id]);
		expect(list.items[0]).toMatchObject({ key: key.pk, brandCode: "BOLT", environment: "live", country: "US" });
		expect(list.items[0]).toMatchObject({ lackingUnits: null, couldBeReleased: null });
		expect(await listOrders(listsOfPrimary(world.db), ofKey, 1, RULES)).toMatchObject({
			hasMore: true,
			items: [{ ref: second.ref }],
		});
		granted(await changeOrder(world, first.ref, { kind: "cancel", origin, reason: "a double" }));
		const cancelled = { keyId: null, brandCode: "BOLT", status: "cancelled" } as const;
		expect((await listOrders(listsOfPrimary(world.db), cancelled, 9, RULES)).items.map(({ ref }) => ref)).toEqual([
			first.ref,
		]);
		expect((await shown(first.ref)).order).toMatchObject({ cancelReason: "a double" });
	});
});

describe("The queue", () => {
	it("has urgent boxes first, then the oldest, marks those on hold, and leaves out what does not wait", async () => {
		await world.has({ brands: [{ code: "COPR", name: "Copper" }] });
		const { token } = await world.key({ brand: "COPR" });
		const place = (service_level: string) => placedWith({ service_level }, token, "COPR");
		const [old, young] = [await place("standard"), await place("standard")];
		const [express, overnight] = [await place("expedited"), await place("overnight")];
		const [gone, dropped] = [await place("overnight"), await place("overnight")];
		granted(await changeBox(deps, gone.ref, WHOLE));
		granted(await changeOrder(world, dropped.ref, { kind: "cancel", origin, reason: null }));
		granted(await changeOrder(world, old.ref, { kind: "holdOrder", reason: "operator", detail: "ask the shop" }));
		granted(await changeBox(deps, young.ref, { kind: "createLabel", ...NO_PARCEL, trackingNumber: "1Z" }));
		const refsIn = async (status: "on_hold" | "label_created" | null, limit = 9) => {
			const queue = await listQueue(world.db, { brandCode: "COPR", status }, limit);
			return { ...queue, refs: queue.items.flatMap(({ record }) => record.orders.map(({ ref }) => ref)) };
		};
		const all = await refsIn(null);
		expect(all.refs).toEqual([overnight, express, old, young].map(({ ref }) => ref));
		expect(all.items[2]).toMatchObject({
			serviceLevel: "standard",
			record: { shipment: { status: "on_hold" } },
			orders: [{ status: "held", holdReason: "operator", holdDetail: "ask the shop" }],
		});
		expect((await refsIn("on_hold")).refs).toEqual([old.ref]);
		expect((await refsIn("label_created")).refs).toEqual([young.ref]);
		expect(await refsIn(null, 1)).toMatchObject({ hasMore: true, refs: [overnight.ref] });
	});

	it("has a box with several orders once, as old as the oldest of them", async () => {
		const { first, second, box } = await combined();
		const { items } = await listQueue(world.db, { brandCode: "ACME", status: null }, 500);
		const [found, ...more] = items.filter(({ record }) => record.shipment.shipmentId === box.shipment_id);
		expect(more).toEqual([]);
		expect(found?.orders.map(({ orderId }) => orderId)).toEqual([first.order.order_id, second.order.order_id]);
		expect(found?.waitingSince.toISOString()).toBe(first.order.placed_at);
	});

	it("shows boxes of the sandbox to who asks for its brand, and to nobody else", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const { data } = await world.call(Reserve, token, { items: [{ sku: "SBX-PLENTY", qty: 1 }] });
		const body = { reservation_token: data.reservation_token, customer: CUSTOMER };
		const ref = unique("cart");
		const { data: order } = await world.call(PlaceOrder, token, body, { headers: { "idempotency-key": ref } });
		const boxOf = async (brandCode: string | null) =>
			(await listQueue(world.db, { brandCode, status: null }, 500)).items.filter(({ orders }) =>
				orders.some(({ orderId }) => orderId === order.order_id),
			);
		expect(await boxOf(null)).toEqual([]);
		expect(await boxOf("SANDBOX")).toHaveLength(1);
	});
});

describe("Holding and releasing", () => {
	it("keeps why in the order as long as it is held, and in its event for good", async () => {
		const { ref, order } = await placedWith({});
		const why = { reason: "address_invalid", detail: "no such street" } as const;
		expect(granted(await changeOrder(world, ref, { kind: "holdOrder", ...why })).order).toMatchObject({
			status: "held",
			holdDetail: why.detail,
		});
		expect(await changeOrder(world, ref, { kind: "holdOrder", ...why })).toMatchObject({ refusal: "wrong_state" });
		expect(granted(await changeOrder(world, ref, { kind: "releaseOrder", origin })).order).toMatchObject({
			status: "placed",
			holdDetail: null,
		});
		expect(await changeOrder(world, ref, { kind: "releaseOrder", origin })).toMatchObject({
			refusal: "wrong_state",
		});
		const { rows } = await selectEventPage(world.db, order.order_id, null, 9);
		expect(rows.map(({ body }) => JSON.parse(body).data)).toMatchObject([{ ...why, action: "partner" }]);
	});

	it("releases an order that lost units only when they are there again, from the pools of its own lines", async () => {
		const shared = (await world.key({ brand: "ACME", sharedPool: true })).token;
		const { ref, lots, code } = await placedFor(world, shared, { qty: 2, lots: [{ brand: "ACME", units: 2 }] });
		await world.quarantine(lots[0] ?? "", "all");
		expect(await statusOf(ref)).toBe("held");
		const listed = async (rules = RULES) => {
			const { items } = await listOrders(
				listsOfPrimary(world.db),
				{ keyId: null, brandCode: null, status: "held" },
				999,
				rules,
			);
			return items.find((item) => item.ref === ref);
		};
		const receive = (brand_code: string | null, units: number) =>
			world.has({ lots: [{ formula: code, brand_code, batch_number: unique("B"), units }] });
		await receive("BOLT", 9); // not of its pool
		await receive("ACME", 1);
		expect(await listed()).toMatchObject({ lackingUnits: 2, couldBeReleased: false });
		expect(await changeOrder(world, ref, { kind: "releaseOrder", origin })).toMatchObject({
			refusal: "wrong_state",
		});
		await receive(null, 1);
		expect(await listed({ ...RULES, certificatesRequired: true })).toMatchObject({ couldBeReleased: false });
		expect(await listed()).toMatchObject({ lackingUnits: 2, couldBeReleased: true });
		const { order, contents } = granted(await changeOrder(world, ref, { kind: "releaseOrder", origin }));
		expect(order.status).toBe("placed");
		expect(await listed()).toBeUndefined();
		expect(contents.parts.reduce((sum, { units }) => sum + units, 0)).toBe(2);
		expect(await world.audit()).toEqual([]);
	});
});

describe("Shipping", () => {
	it("ships a part, then the rest, and void brings back what never left", async () => {
		const { ref, sku, order } = await placedFor(world, acme, { qty: 3, perKit: 2 });
		const part = { ...WHOLE, items: [{ sku, qty: 1 }], ...NO_PARCEL, trackingNumber: "1Z1" };
		const first = granted(await changeBox(deps, ref, part));
		expect(first).toMatchObject({ orders: [{ orderId: order.order_id, status: "partially_shipped" }] });
		expect(first.record.shipment.items).toMatchObject([{ sku, qty: 1, lots: [{ units: 2 }] }]);
		expect(await changeBox(deps, ref, { ...part, items: [{ sku, qty: 3 }] })).toMatchObject({
			refusal: "invalid_input",
			message: expect.stringContaining(`has 2 of "${sku}" left to ship, not 3`),
		});
		const rest = granted(await changeBox(deps, ref, WHOLE));
		expect(rest.record.shipment.shipmentId).not.toBe(first.record.shipment.shipmentId);
		expect(await statusOf(ref)).toBe("shipped");
		expect(await changeBox(deps, ref, WHOLE)).toMatchObject({ refusal: "wrong_state" });
		for (const { record } of [first, rest]) {
			const { shipmentId } = record.shipment;
			expect(granted(await voidShipmentById(deps, shipmentId, origin)).record.shipment.status).toBe("voided");
			expect(await voidShipmentById(deps, shipmentId, origin)).toMatchObject({ refusal: "wrong_state" });
		}
		expect(await statusOf(ref)).toBe("placed"); // nobody had recorded that it was picked
		expect(await world.audit()).toEqual([]);
	});

	it("ships a box with several orders whole, whichever of them is named, and voids it whole", async () => {
		const { first, second, box } = await combined();
		const part = { ...WHOLE, items: [{ sku: second.sku, qty: 1 }] };
		expect(await changeBox(deps, second.ref, part)).toMatchObject({
			refusal: "invalid_input",
			message: expect.stringContaining("shipped whole"),
		});
		const { record, orders } = granted(await changeBox(deps, second.ref, WHOLE));
		expect(record.shipment.shipmentId).toBe(box.shipment_id);
		expect(orders.map(({ orderId, status }) => [orderId, status])).toEqual([
			[first.order.order_id, "shipped"],
			[second.order.order_id, "shipped"],
		]);
		granted(await voidShipmentById(deps, box.shipment_id, origin));
		expect([await statusOf(first.ref), await statusOf(second.ref)]).toEqual(["placed", "placed"]);
		expect(await world.audit()).toEqual([]);
	});

	it("looks again when the box is packed differently between the look and the command", async () => {
		const [first, second] = [await placedWith({}), await placedWith({})];
		let packed = false;
		const execute = (async (command, requester) => {
			if (!packed) {
				packed = true;
				const ids = [first.order.order_id, second.order.order_id];
				granted(await deps.engine.execute({ kind: "combine", orderIds: ids }));
			}
			return await deps.engine.execute(command, requester);
		}) as ChangeDeps["engine"]["execute"];
		const { orders } = granted(await changeBox({ ...deps, engine: { execute } }, first.ref, WHOLE));
		expect(orders.map(({ status }) => status)).toEqual(["shipped", "shipped"]);
	});

	it("notes a label, replaces it, and void forgets it", async () => {
		const { ref } = await placedWith({});
		const label = (trackingNumber: string) =>
			changeBox(deps, ref, { kind: "createLabel", ...NO_PARCEL, carrierCode: "ups", trackingNumber });
		granted(await label("1Z1"));
		const { shipment } = granted(await label("1Z2")).record;
		expect(shipment).toMatchObject({ status: "label_created", trackingNumber: "1Z2" });
		const voided = granted(await voidShipmentById(deps, shipment.shipmentId, origin)).record.shipment;
		expect(voided).toMatchObject({ status: "awaiting_shipment", trackingNumber: null, labelCreatedAt: null });
		granted(await label("1Z3"));
		granted(await changeOrder(world, ref, { kind: "cancel", origin, reason: null }));
		expect(await voidShipmentById(deps, shipment.shipmentId, origin)).toMatchObject({ refusal: "wrong_state" });
	});

	it("refuses what no label says, and a shipment that there is not", async () => {
		const { ref } = await placedWith({});
		for (const trackingNumber of ["", " 1Z", "1\n2", "x".repeat(201)]) {
			expect(await changeBox(deps, ref, { kind: "createLabel", ...NO_PARCEL, trackingNumber })).toMatchObject({
				refusal: "invalid_input",
			});
		}
		expect(
			await changeBox(deps, ref, { kind: "ship", origin, items: null, ...NO_PARCEL, carrierCode: "" }),
		).toMatchObject({
			refusal: "invalid_input",
		});
		expect(await voidShipmentById(deps, newId(), origin)).toMatchObject({ refusal: "not_found" });
	});
});

describe("A list of tracking numbers", () => {
	const parcel = (name: string, trackingNumber: string) => ({ ...NO_PARCEL, carrierCode: "ups", name, trackingNumber });
	const outcomesOf = async (...parcels: ReturnType<typeof parcel>[]) => {
		const { lines, wrong } = await lookAtTracked(world.db, parcels, false);
		if (wrong.length > 0) return wrong;
		const execute = (commands: readonly ShipCommand[]) => Promise.all(commands.map((one) => deps.engine.execute(one)));
		const outcomes = await shipTracked({ db: world.db, execute }, lines, origin);
		return outcomes.map(({ outcome }) => outcome);
	};

	it("ships each box once, also when two lines name it, and changes nothing when it comes again", async () => {
		const { first, second } = await combined();
		const alone = await placedWith({});
		const list = [parcel(first.ref, "1Z1"), parcel(second.order.order_id, "1Z1"), parcel(alone.ref, "1Z2")];
		expect(await outcomesOf(...list)).toEqual(["shipped", "unchanged", "shipped"]);
		const version = (await shown(alone.ref)).order.version;
		expect(await outcomesOf(...list)).toEqual(["unchanged", "unchanged", "unchanged"]);
		expect((await shown(alone.ref)).order.version).toBe(version);
	});

	it("is refused whole, each bad line by its place, when one of them cannot be", async () => {
		const [good, held, gone] = [await placedWith({}), await placedWith({}), await placedWith({})];
		granted(await changeOrder(world, held.ref, { kind: "holdOrder", reason: "operator", detail: null }));
		granted(await changeBox(deps, gone.ref, WHOLE));
		const wrong = await outcomesOf(
			parcel(good.ref, "1Z1"),
			parcel("nobody", "1Z2"),
			parcel(held.ref, "1Z3"),
			parcel(gone.ref, "another"),
			parcel(good.order.order_id, "1Z4"),
			parcel(good.ref, " "),
		);
		expect(wrong).toMatchObject([
			{ index: 1, field: "order", message: expect.stringContaining("no order") },
			{ index: 2, field: "order", message: expect.stringContaining("on hold") },
			{ index: 3, field: "order", message: expect.stringContaining("shipped under 1Z") },
			{ index: 4, field: "tracking", message: expect.stringContaining("under 1Z1") },
			{ index: 5, field: "tracking" },
		]);
		expect(await statusOf(good.ref)).toBe("placed");
	});

	it("ships what is left of an order of which a part was shipped", async () => {
		const { ref, sku } = await placedFor(world, acme, { qty: 2 });
		granted(
			await changeBox(deps, ref, {
				kind: "ship",
				origin,
				items: [{ sku, qty: 1 }],
				...NO_PARCEL,
				trackingNumber: "1Z1",
			}),
		);
		expect(await outcomesOf(parcel(ref, "1Z2"))).toEqual(["shipped"]);
		expect(await statusOf(ref)).toBe("shipped");
		expect(await outcomesOf(parcel(ref, "1Z1"), parcel(ref, "1Z2"))).toEqual(["unchanged", "unchanged"]);
	});
});
