import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/ground/lib/ids.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { listExceptions } from "../../src/inventory/demand/exceptions-sql.ts";
import { CancelOperatorOrder } from "../../src/inventory/orders/admin-contract.ts";
import type { OrderReply } from "../../src/inventory/orders/order-reply.ts";
import { wantPush } from "../../src/inventory/shipping/want-push.ts";
import { warehouseOf } from "../contract/order-world.ts";
import type { Stocked } from "../contract/world.ts";
import { operator, setStoreWhole } from "../demand-world.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { type Joined, openJoined } from "./joined.ts";

/* Orders of other stores at the label platform, which is simulated; the vendor's own was not tried. */

let joined: Joined;
let server: Joined["server"];
let world: Joined["world"];
let shelf: Stocked;
beforeAll(async () => {
	joined = await openJoined(7);
	({ server, world } = joined);
	await setStoreWhole(world.db, { store: "se-shop", brandCode: "ACME", shared: false });
});
afterAll(() => joined.close());
beforeEach(async () => {
	shelf = await world.stocked([{ brand: "ACME", units: 20 }], 2);
});

/** Promised and shipped units of the shelf. */
async function units(): Promise<{ promised: number; shipped: number }> {
	const { rows } = await world.db.query<{ promised: number; shipped: number }>(
		`select coalesce((select sum(units) from demand where formula_id = $1), 0)::int as promised,
		        (select sum(shipped) from lot where formula_id = $1)::int as shipped`,
		[shelf.formulaId],
	);
	return rows[0] as never;
}
const exceptionsOf = async (id: string): Promise<string[]> =>
	(await listExceptions(world.db, {}, 10_000)).items
		.filter(({ reference }) => reference === `shipstation:${id}`)
		.map(({ kind, subject, promisedKits, shippedKits }) => `${kind} ${subject} ${promisedKits}/${shippedKits}`)
		.toSorted();
const sell = (kits: number, store = "se-shop"): string => server.world.sell(store, { [shelf.sku]: kits }).shipment_id;

describe("An order of another store", () => {
	it("is promised while it is open, drawn down once when its carrier has it, whatever is said twice, and not again under a new label", async () => {
		const id = sell(3);
		await joined.sweep();
		expect(await units()).toEqual({ promised: 6, shipped: 0 });
		const label = server.world.buyLabel(id);
		await joined.notify(`/labels/${label.label_id}`);
		await joined.settle();
		expect(await units()).toEqual({ promised: 6, shipped: 0 });
		server.world.scan(label);
		for (let twice = 0; twice < 2; twice++) await joined.notify(`/labels/${label.label_id}/track`);
		await joined.sweep();
		expect(await units()).toEqual({ promised: 0, shipped: 6 });
		server.world.voidLabel(label);
		await joined.sweep();
		server.world.scan(server.world.buyLabel(id));
		await joined.sweep();
		await world.db.query("update platform_box set digest = ''"); // as if the service had ended before it recorded the change
		await joined.notify(`/shipments/${id}`);
		await joined.settle();
		expect(await units()).toEqual({ promised: 0, shipped: 6 });
		expect(await world.audit()).toEqual([]);
	});

	it("is let go when it is cancelled, and when it is merged into another one", async () => {
		const [one, two, three] = [sell(1), sell(2), sell(3)];
		await joined.sweep();
		expect(await units()).toEqual({ promised: 12, shipped: 0 });
		server.world.cancel(one);
		server.world.merge(two, [three]);
		await joined.sweep();
		await joined.notify(`/shipments/${three}`);
		await joined.settle();
		expect(await units()).toEqual({ promised: 10, shipped: 0 });
	});

	it("of a store or with a SKU that nobody knows is an exception, and settled when the store is set", async () => {
		const store = `se-${shelf.code}`;
		const { shipment_id: id } = server.world.sell(store, { [shelf.sku]: 2, "who knows": 1 });
		await joined.sweep();
		expect(await exceptionsOf(id)).toEqual(["unknown_sku who knows 1/0", `unknown_store ${store} 2/0`]);
		await setStoreWhole(world.db, { store, brandCode: "ACME", shared: false });
		expect(await exceptionsOf(id)).toEqual(["unknown_sku who knows 1/0"]);
		expect(await units()).toEqual({ promised: 4, shipped: 0 });
	});

	it("that had its label before anybody followed it is neither promised nor drawn down", async () => {
		const { rows } = await world.db.query<{ was: string }>("select followed_from::text as was from box_sweep");
		await world.db.query("update box_sweep set followed_from = $1", ["2031-12-31"]);
		const id = sell(3);
		server.world.scan(server.world.buyLabel(id));
		await joined.sweep();
		await joined.notify(`/shipments/${id}`);
		await joined.settle();
		await world.db.query("update box_sweep set followed_from = $1", [rows[0]?.was]);
		expect(await units()).toEqual({ promised: 0, shipped: 0 });
		expect(await exceptionsOf(id)).toEqual([]);
	});

	it("in one box with an order of ours is drawn down, and ours is shipped", async () => {
		const ours = await joined.placed();
		const id = sell(2);
		server.world.merge(id, [joined.boxOf(ours.order_id).shipment_id]);
		server.world.scan(server.world.buyLabel(id));
		await joined.sweep();
		expect((await joined.get(ours.order_id)).status).toBe("shipped");
		expect(await units()).toEqual({ promised: 0, shipped: 4 });
		expect(await world.audit()).toEqual([]);
	});
});

describe("An order that was cancelled here though it was handed over meanwhile", () => {
	const cancel = (order: OrderReply) =>
		world.deps.engine.execute({
			...({
				kind: "cancel",
				origin: operator,
				reason: null,
			} as const),
			orderId: order.order_id,
			token: order.reservation_token,
		});

	it("is cancelled there, too", async () => {
		const order = await joined.placed();
		await cancel(order); // as if the request had reached the platform before the order
		await joined.settle();
		expect(joined.boxOf(order.order_id).shipment_status).toBe("cancelled");
		expect(await joined.pushOf(order.order_id)).toMatchObject({ state: "withdrawn" });
	});

	it("by an operator whose reply was lost gets the reply again, and the platform is not asked again", async () => {
		const order = await joined.placed();
		const socket = { socket: world.deps.config.adminSocket };
		const asked = { params: { id: order.order_id }, body: {}, headers: { "Idempotency-Key": newId() } };
		const first = await operate(socket, CancelOperatorOrder, asked);
		server.faults = { errors: 1 };
		const seen = server.seen.length;
		const again = await operate(socket, CancelOperatorOrder, asked);
		server.faults = {};
		expect([first.status, again.status, again.json]).toEqual([200, 200, first.json]);
		expect(server.seen.slice(seen)).toEqual([]);
	});

	it("by an operator who has not seen its last change is not, and the platform is not asked", async () => {
		const order = await joined.placed();
		const socket = { socket: world.deps.config.adminSocket };
		const params = { id: order.order_id };
		const seen = server.seen.length;
		const asked = { params, body: {}, headers: { "If-Match": '"of an earlier read"' } };
		const { status, json } = await operate(socket, CancelOperatorOrder, asked);
		expect([status, json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect(server.seen.slice(seen)).toEqual([]);
		expect(joined.boxOf(order.order_id).shipment_status).toBe("pending");
	});

	it("is cancelled there when the push was done and its answer was lost", async () => {
		server.faults = { cutAfter: 1, only: /POST/ };
		const order = await joined.place();
		await until("the push to be done", () => joined.boxesOf(order.order_id).length > 0);
		await cancel(order);
		server.faults = {};
		await joined.settle();
		expect(joined.boxesOf(order.order_id).map(({ shipment_status }) => shipment_status)).toEqual(["cancelled"]);
	});

	it("and one that was combined keeps its box: only what is cancelled is", async () => {
		const [one, two] = [await joined.placed(), await joined.placed()];
		expect((await joined.combine([one.order_id, two.order_id])).status).toBe(200);
		await joined.settle();
		expect(joined.boxOf(one.order_id)).toMatchObject({ shipment_status: "pending", items: [{}, {}] });
	});
});

describe("An order that is on hold here", () => {
	const held = async () => {
		const order = await joined.placed();
		await warehouseOf(world).hold(order);
		await joined.settle();
		return order;
	};
	const there = (orderId: string): string => joined.boxOf(orderId).shipment_status;

	it("stands still there, and goes on there when it is released, without a second push", async () => {
		const order = await held();
		expect(there(order.order_id)).toBe("on_hold");
		await joined.notify(`/shipments/${joined.boxOf(order.order_id).shipment_id}`);
		await joined.settle();
		expect((await joined.get(order.order_id)).status).toBe("held");
		await warehouseOf(world).release(order);
		await joined.settle();
		expect(there(order.order_id)).toBe("pending");
		expect(joined.boxesOf(order.order_id)).toHaveLength(1);
	});

	it("stands still there though the platform was away, answered late or the answer was lost", async () => {
		const order = await joined.placed();
		for (const faults of [{ errors: 1 }, { cutBefore: 1 }, { cutAfter: 1 }, { errorsAfter: 1 }]) {
			server.faults = { ...faults, only: /PUT/ };
			const seen = server.seen.length;
			await warehouseOf(world).hold(order);
			await joined.asked(/PUT .*hold/, seen);
			server.faults = {};
			await joined.settle();
			expect(there(order.order_id)).toBe("on_hold");
			server.faults = { ...faults, only: /PUT/ };
			const again = server.seen.length;
			await warehouseOf(world).release(order);
			await joined.asked(/PUT .*restore/, again);
			server.faults = {};
			await joined.settle();
			expect(there(order.order_id)).toBe("pending");
		}
	});

	it("and is held and released many times at once ends there as it is here", async () => {
		const order = await joined.placed();
		for (let n = 0; n < 5; n++) {
			await warehouseOf(world).hold(order);
			await warehouseOf(world).release(order);
		}
		await joined.settle();
		expect(there(order.order_id)).toBe("pending");
		for (let n = 0; n < 5; n++) {
			await warehouseOf(world).hold(order);
			if (n < 4) await warehouseOf(world).release(order);
		}
		await joined.settle();
		expect(there(order.order_id)).toBe("on_hold");
	});

	it("whose label was made before is told to the operator as too late", async () => {
		const order = await joined.placed();
		server.world.buyLabel(order.order_id);
		await warehouseOf(world).hold(order);
		await joined.settle();
		const { rows } = await world.db.query("select detail, stopped_at from label_push where order_id = $1", [
			order.order_id,
		]);
		expect(rows).toEqual([{ detail: expect.stringContaining("too late") as string, stopped_at: null }]);
	});

	it("a box that somebody stopped there, and nobody here, goes on standing still", async () => {
		const order = await joined.placed();
		server.world.hold(joined.boxOf(order.order_id).shipment_id, "2032-01-01T00:00:00Z");
		await transaction(world.db, (tx) => wantPush(tx, [order.order_id]));
		await joined.settle();
		expect(there(order.order_id)).toBe("on_hold");
	});
});
