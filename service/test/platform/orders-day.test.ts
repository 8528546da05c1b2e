import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushForgotten } from "../../src/inventory/shipping/want-push.ts";
import { warehouseOf } from "../contract/order-world.ts";
import { until } from "../processes/child.ts";
import { type Joined, openJoined } from "./joined.ts";

/*
 * A service with orders, connected to a label platform. The platform is simulated; the vendor's own was not tried.
 */

let joined: Joined;
let server: Joined["server"];
let world: Joined["world"];
beforeAll(async () => {
	joined = await openJoined();
	({ server, world } = joined);
});
afterAll(() => joined.close());

describe("An order", () => {
	it("is pushed once; its label, its carrier and a voided label come back, and its partner is told", async () => {
		const { order_id: id, items } = await joined.placed();
		expect(await joined.pushOf(id)).toEqual({ state: "taken", generation: 1 });
		expect(joined.boxOf(id)).toMatchObject({ items: [{ sku: items[0]?.sku, quantity: 2, external_order_id: id }] });
		const label = server.world.buyLabel(id);
		await joined.notify(`/labels/${label.label_id}`);
		await joined.settle();
		expect((await joined.get(id)).shipments).toMatchObject([
			{ status: "label_created", tracking_number: label.tracking_number, carrier_code: "ups" },
		]);
		server.world.scan(label);
		for (let twice = 0; twice < 2; twice++) await joined.notify(`/labels/${label.label_id}/track`);
		await joined.settle();
		expect(await joined.get(id)).toMatchObject({ status: "shipped", shipments: [{ status: "shipped" }] });
		expect(await joined.eventsOf(id)).toEqual(["order.shipped"]);
		server.world.voidLabel(label);
		await joined.notify(`/shipments/${label.shipment_id}`);
		await joined.settle();
		expect((await joined.get(id)).shipments.map(({ status }) => status)).toEqual(["voided", "awaiting_shipment"]);
		expect(joined.boxesOf(id)).toHaveLength(1);
		expect(await world.audit()).toEqual([]);
	});

	it("is placed while the platform is away, and pushed when it is back", async () => {
		server.faults = { cutBefore: 1 };
		const order = await joined.place();
		expect(order.status).toBe("placed");
		expect(joined.boxesOf(order.order_id)).toEqual([]);
		server.faults = {};
		await joined.settle();
		expect(joined.boxesOf(order.order_id)).toHaveLength(1);
	});

	it("with an address that is refused is on hold, and is pushed again when it comes off it", async () => {
		server.world.unknownPostalCodes.add("97201");
		const order = await joined.place();
		await joined.settle();
		expect(await joined.get(order.order_id)).toMatchObject({ status: "held", hold_reason: "address_invalid" });
		expect(await joined.eventsOf(order.order_id)).toEqual(["order.held"]);
		server.world.unknownPostalCodes.clear();
		await warehouseOf(world).release(order);
		await joined.settle();
		expect(await joined.pushOf(order.order_id)).toEqual({ state: "taken", generation: 2 });
		expect(joined.boxesOf(order.order_id).map(({ shipment_status }) => shipment_status)).toEqual([
			"cancelled",
			"pending",
		]);
	});

	it("that is not accepted for a reason of the platform's own is on hold, and the platform's words are for the operator alone", async () => {
		server.world.refusesAll = "Account 4711 has no funds.";
		const order = await joined.place();
		await joined.settle();
		server.world.refusesAll = null;
		expect(await joined.get(order.order_id)).toMatchObject({ status: "held", hold_reason: "label_error" });
		const { rows } = await world.db.query<{ body: string; detail: string }>(
			"select body, detail from event join label_push using (order_id) where order_id = $1",
			[order.order_id],
		);
		expect(rows).toEqual([
			{ detail: "Account 4711 has no funds.", body: expect.stringContaining("does not accept this order") as string },
		]);
		expect(JSON.stringify([rows[0]?.body, await joined.get(order.order_id)])).not.toContain("4711");
	});

	it("that somebody cancels there is on hold, and pushed again under the next generation when it is released", async () => {
		const order = await joined.placed();
		server.world.cancel(order.order_id);
		await joined.notify(`/shipments/${joined.boxOf(order.order_id).shipment_id}`);
		await joined.settle();
		expect(await joined.get(order.order_id)).toMatchObject({ status: "held", hold_reason: "label_error" });
		await warehouseOf(world).release(order);
		await joined.settle();
		expect(await joined.pushOf(order.order_id)).toEqual({ state: "taken", generation: 2 });
	});

	it("that was cancelled there for nothing, and one placed before there was a platform, are pushed after a while", async () => {
		const [one, two] = [await joined.placed(), await joined.placed()];
		await world.db.query("update shipment set modified_at = now() - interval '1 hour'");
		await world.db.query(
			"update label_push set state = 'withdrawn', changed_at = now() - interval '1 hour' where order_id = $1",
			[one.order_id],
		);
		server.world.cancel(one.order_id);
		await world.db.query("delete from label_push where order_id = $1", [two.order_id]);
		expect(await pushForgotten(world.db)).toBe(2);
		expect(await pushForgotten(world.db)).toBe(0);
		await joined.settle();
		expect([joined.boxesOf(one.order_id).length, joined.boxesOf(two.order_id).length]).toEqual([2, 1]);
	});

	it("what contradicts what was done here is kept for the operator, and changes nothing", async () => {
		const order = await joined.placed();
		await warehouseOf(world).ship(order); // by hand, under a number of its own
		const label = server.world.buyLabel(order.order_id);
		server.world.scan(label);
		await joined.notify(`/labels/${label.label_id}/track`);
		await joined.settle();
		const { rows } = await world.db.query("select refusal from platform_box where platform_id = $1", [
			label.shipment_id,
		]);
		expect(rows).toEqual([{ refusal: expect.stringContaining("has nothing left to be shipped") as string }]);
		expect((await joined.get(order.order_id)).shipments).toMatchObject([{ tracking_number: "1Z999" }]);
	});
});

describe("Cancelling and combining", () => {
	it("is done there first; then here", async () => {
		const [one, two, three] = [await joined.placed(), await joined.placed(), await joined.placed()];
		expect((await joined.cancel(one.order_id)).status).toBe(200);
		expect(joined.boxOf(one.order_id).shipment_status).toBe("cancelled");
		expect((await joined.combine([two.order_id, three.order_id])).status).toBe(200);
		expect(joined.boxOf(two.order_id).items).toHaveLength(2);
		const label = server.world.buyLabel(two.order_id);
		server.world.scan(label);
		await joined.notify(`/labels/${label.label_id}/track`);
		await joined.settle();
		for (const { order_id } of [two, three]) {
			expect(await joined.get(order_id)).toMatchObject({ status: "shipped" });
			expect(await joined.eventsOf(order_id)).toEqual(["order.shipped"]);
		}
		expect((await joined.get(one.order_id)).status).toBe("cancelled");
		expect(await world.audit()).toEqual([]);
	});

	it("502: refused there, or not answered, nothing has changed", async () => {
		const [one, two] = [await joined.placed(), await joined.placed()];
		const before = await Promise.all([one, two].map(({ order_id }) => joined.get(order_id)));
		server.faults = { cutBefore: 1 };
		for (const answer of [await joined.cancel(one.order_id), await joined.combine([one.order_id, two.order_id])]) {
			expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("shipstation_error")]);
		}
		server.faults = {};
		server.world.buyLabel(one.order_id); // and Holdfast has not learned of it
		for (const answer of [await joined.cancel(one.order_id), await joined.combine([one.order_id, two.order_id])]) {
			expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("shipstation_error")]);
		}
		expect(await Promise.all([one, two].map(({ order_id }) => joined.get(order_id)))).toEqual(before);
	});

	it("that could not be done here asks nobody", async () => {
		const order = await joined.placed();
		await warehouseOf(world).pick(order);
		const asked = server.seen.length;
		expect((await joined.cancel(order.order_id)).status).toBe(409);
		expect(server.seen.slice(asked).filter(({ method }) => method !== "GET")).toEqual([]);
		expect(joined.boxOf(order.order_id).shipment_status).toBe("pending");
	});

	it("before the push is one push of one box, out of which nobody is taken afterwards", async () => {
		server.faults = { cutBefore: 1 };
		const [one, two] = [await joined.place(), await joined.place()];
		await until("the pushes to be under way", async () =>
			[await joined.pushOf(one.order_id), await joined.pushOf(two.order_id)].every(
				(push) => push?.state === "under_way",
			),
		);
		expect((await joined.combine([one.order_id, two.order_id])).status).toBe(502);
		server.faults = {};
		await joined.settle();
		expect((await joined.combine([one.order_id, two.order_id])).status).toBe(200);
		expect((await joined.cancel(two.order_id)).status).toBe(502);
		expect((await joined.get(two.order_id)).status).toBe("placed");
	});
});
