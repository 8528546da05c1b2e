import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enqueue } from "../../src/jobs/enqueue.ts";
import { newJob } from "../../src/jobs/job.ts";
import { lookAtJobs } from "../../src/jobs/look-at-jobs.ts";
import { must } from "../../src/lib/assert.ts";
import { CancelOrder, CombineShipments, GetOrder } from "../../src/orders/contract.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../../src/shipping/job-names.ts";
import { pushForgotten } from "../../src/shipping/want-push.ts";
import { placedFor, warehouseOf } from "../contract/order-world.ts";
import { openWorld, type World } from "../contract/world.ts";
import { until } from "../processes/child.ts";
import { seeded } from "./random.ts";
import { API_KEY, openPlatform, type PlatformServer } from "./server.ts";
import type { WorldShipment } from "./world.ts";

/* Orders of the service and the label platform, joined. The platform is a server of ours; the vendor's own was not tried. */

const SECRET = "a-secret-of-some-length";

let server: PlatformServer;
let world: World;
let token: string;
beforeAll(async () => {
	server = await openPlatform();
	world = await openWorld({
		HOLDFAST_LABEL_PLATFORM: "shipstation",
		HOLDFAST_SHIPSTATION_API_KEY: API_KEY,
		HOLDFAST_SHIPSTATION_URL: server.url,
		HOLDFAST_SHIPSTATION_HOOK_SECRET: SECRET,
	});
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await world.key({ brand: "ACME" }));
});
afterAll(async () => {
	await world.stop();
	await server.close();
});

const get = async (ref: string) =>
	(await world.call(GetOrder, token, undefined, { path: `/api/v1/orders/${encodeURIComponent(ref)}` })).data;
const cancel = (ref: string) =>
	world.call(CancelOrder, token, {}, { path: `/api/v1/orders/${encodeURIComponent(ref)}/cancel` });
const combine = (order_refs: string[]) => world.call(CombineShipments, token, { order_refs });
const notify = (path: string) =>
	fetch(`http://127.0.0.1:${world.port}/hooks/shipstation/${SECRET}`, {
		method: "POST",
		body: JSON.stringify({ resource_url: `${server.url}/v2${path}`, resource_type: "ANY" }),
	});

const boxesOf = (orderId: string): WorldShipment[] =>
	[...server.world.shipments.values()].filter(({ external_shipment_id: id }) => id?.startsWith(orderId));
const boxOf = (orderId: string): WorldShipment => must(boxesOf(orderId).at(-1), `a box of ${orderId}`);

const pushOf = async (orderId: string): Promise<unknown> =>
	(await world.db.query("select state, generation from label_push where order_id = $1", [orderId])).rows[0];
const eventsOf = async (orderId: string): Promise<string[]> => {
	const { rows } = await world.db.query<{ type: string }>("select type from event where order_id = $1 order by seq", [
		orderId,
	]);
	return rows.map(({ type }) => type);
};

/** Lets the time of every waiting job come, and resolves when nothing but the next sweep is left to do. */
async function settle(): Promise<void> {
	await until("all jobs to be done", async () => {
		await world.db.query(
			"update graphile_worker._private_jobs set run_at = now() where locked_at is null and key is distinct from $1",
			[`${SWEEP_BOXES.name}:${THE_SWEEP}`],
		);
		await world.db.query(`select pg_notify('jobs:insert', '{"count":8}')`);
		await sleep(20);
		const counts = await lookAtJobs(world.db);
		return counts.every(({ name, waiting }) => name === SWEEP_BOXES.name || waiting === 0);
	});
}

const placed = async () => {
	const { order } = await placedFor(world, token);
	await settle();
	return order;
};

describe("An order", () => {
	it("is pushed once; its label, its carrier and a voided label come back, and its partner is told", async () => {
		const { order_id: id, items } = await placed();
		expect(await pushOf(id)).toEqual({ state: "taken", generation: 1 });
		expect(boxOf(id)).toMatchObject({ items: [{ sku: items[0]?.sku, quantity: 2, external_order_id: id }] });
		const label = server.world.buyLabel(id);
		await notify(`/labels/${label.label_id}`);
		await settle();
		expect((await get(id)).shipments).toMatchObject([
			{ status: "label_created", tracking_number: label.tracking_number, carrier_code: "ups" },
		]);
		server.world.scan(label);
		for (let twice = 0; twice < 2; twice++) await notify(`/labels/${label.label_id}/track`);
		await settle();
		expect(await get(id)).toMatchObject({ status: "shipped", shipments: [{ status: "shipped" }] });
		expect(await eventsOf(id)).toEqual(["order.shipped"]);
		server.world.voidLabel(label);
		await notify(`/shipments/${label.shipment_id}`);
		await settle();
		expect((await get(id)).shipments.map(({ status }) => status)).toEqual(["voided", "awaiting_shipment"]);
		expect(boxesOf(id)).toHaveLength(1);
		expect(await world.audit()).toEqual([]);
	});

	it("is placed while the platform is away, and pushed when it is back", async () => {
		server.faults = { cutBefore: 1 };
		const { order } = await placedFor(world, token);
		expect(order.status).toBe("placed");
		expect(boxesOf(order.order_id)).toEqual([]);
		server.faults = {};
		await settle();
		expect(boxesOf(order.order_id)).toHaveLength(1);
	});

	it("with an address that is refused is on hold, and is pushed again when it comes off it", async () => {
		server.world.unknownPostalCodes.add("97201");
		const { order } = await placedFor(world, token);
		await settle();
		expect(await get(order.order_id)).toMatchObject({ status: "held", hold_reason: "address_invalid" });
		expect(await eventsOf(order.order_id)).toEqual(["order.held"]);
		server.world.unknownPostalCodes.clear();
		await warehouseOf(world).release(order);
		await settle();
		expect(await pushOf(order.order_id)).toEqual({ state: "taken", generation: 2 });
		expect(boxesOf(order.order_id).map(({ shipment_status }) => shipment_status)).toEqual(["cancelled", "pending"]);
	});

	it("that somebody cancels there is on hold, and pushed again under the next generation when it is released", async () => {
		const order = await placed();
		server.world.cancel(order.order_id);
		await notify(`/shipments/${boxOf(order.order_id).shipment_id}`);
		await settle();
		expect(await get(order.order_id)).toMatchObject({ status: "held", hold_reason: "label_error" });
		await warehouseOf(world).release(order);
		await settle();
		expect(await pushOf(order.order_id)).toEqual({ state: "taken", generation: 2 });
	});

	it("that was cancelled there for nothing, and one placed before there was a platform, are pushed after a while", async () => {
		const [one, two] = [await placed(), await placed()];
		await world.db.query("update shipment set modified_at = now() - interval '1 hour'");
		await world.db.query(
			"update label_push set state = 'withdrawn', changed_at = now() - interval '1 hour' where order_id = $1",
			[one.order_id],
		);
		server.world.cancel(one.order_id);
		await world.db.query("delete from label_push where order_id = $1", [two.order_id]);
		expect(await pushForgotten(world.db)).toBe(2);
		expect(await pushForgotten(world.db)).toBe(0);
		await settle();
		expect([boxesOf(one.order_id).length, boxesOf(two.order_id).length]).toEqual([2, 1]);
	});

	it("what contradicts what was done here is kept for the operator, and changes nothing", async () => {
		const order = await placed();
		await warehouseOf(world).ship(order); // by hand, under a number of its own
		const label = server.world.buyLabel(order.order_id);
		server.world.scan(label);
		await notify(`/labels/${label.label_id}/track`);
		await settle();
		const { rows } = await world.db.query("select refusal from platform_box where platform_id = $1", [
			label.shipment_id,
		]);
		expect(rows).toEqual([{ refusal: expect.stringContaining("has nothing left to be shipped") as string }]);
		expect((await get(order.order_id)).shipments).toMatchObject([{ tracking_number: "1Z999" }]);
	});
});

describe("Cancelling and combining", () => {
	it("is done there first; then here", async () => {
		const [one, two, three] = [await placed(), await placed(), await placed()];
		expect((await cancel(one.order_id)).status).toBe(200);
		expect(boxOf(one.order_id).shipment_status).toBe("cancelled");
		expect((await combine([two.order_id, three.order_id])).status).toBe(200);
		expect(boxOf(two.order_id).items).toHaveLength(2);
		const label = server.world.buyLabel(two.order_id);
		server.world.scan(label);
		await notify(`/labels/${label.label_id}/track`);
		await settle();
		for (const { order_id } of [two, three]) {
			expect(await get(order_id)).toMatchObject({ status: "shipped" });
			expect(await eventsOf(order_id)).toEqual(["order.shipped"]);
		}
		expect((await get(one.order_id)).status).toBe("cancelled");
		expect(await world.audit()).toEqual([]);
	});

	it("502: refused there, or not answered, nothing has changed", async () => {
		const [one, two] = [await placed(), await placed()];
		const before = await Promise.all([one, two].map(({ order_id }) => get(order_id)));
		server.faults = { cutBefore: 1 };
		for (const answer of [await cancel(one.order_id), await combine([one.order_id, two.order_id])]) {
			expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("shipstation_error")]);
		}
		server.faults = {};
		server.world.buyLabel(one.order_id); // and nobody here has heard of it
		for (const answer of [await cancel(one.order_id), await combine([one.order_id, two.order_id])]) {
			expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("shipstation_error")]);
		}
		expect(await Promise.all([one, two].map(({ order_id }) => get(order_id)))).toEqual(before);
	});

	it("that could not be done here asks nobody", async () => {
		const order = await placed();
		await warehouseOf(world).pick(order);
		const asked = server.seen.length;
		expect((await cancel(order.order_id)).status).toBe(409);
		expect(server.seen.slice(asked).filter(({ method }) => method !== "GET")).toEqual([]);
		expect(boxOf(order.order_id).shipment_status).toBe("pending");
	});

	it("before the push is one push of one box, out of which nobody is taken afterwards", async () => {
		server.faults = { cutBefore: 1 };
		const [one, two] = [(await placedFor(world, token)).order, (await placedFor(world, token)).order];
		await until("the pushes to be under way", async () =>
			[await pushOf(one.order_id), await pushOf(two.order_id)].every(
				(push) => (push as { state: string }).state === "under_way",
			),
		);
		expect((await combine([one.order_id, two.order_id])).status).toBe(502);
		server.faults = {};
		await settle();
		expect((await combine([one.order_id, two.order_id])).status).toBe(200);
		expect((await cancel(two.order_id)).status).toBe(502);
		expect((await get(two.order_id)).status).toBe("placed");
	});
});

describe("After a bad day in small", () => {
	const ORDERS = 8;
	it("no order was pushed twice, and both sides say the same", async () => {
		const random = seeded(5);
		const created = server.world.created;
		server.faults = { errors: 0.1, cutBefore: 0.05, cutAfter: 0.1, errorsAfter: 0.05 };
		const notices: string[] = [];
		server.world.onEvent = (_, path) => {
			for (let times = Math.floor(random() * 3); times > 0; times--) {
				notices.splice(Math.floor(random() * notices.length), 0, path);
			}
		};
		const ids: string[] = [];
		for (let n = 0; n < ORDERS; n++) ids.push((await placedFor(world, token)).order.order_id);
		await settle();
		for (const [index, id] of ids.entries()) {
			const label = server.world.buyLabel(id);
			if (index % 4 === 0) continue;
			server.world.scan(label);
			if (index % 4 !== 1) continue;
			server.world.voidLabel(label);
			server.world.scan(server.world.buyLabel(id));
		}
		for (const path of notices) await notify(path);
		await settle();
		server.faults = {};
		await world.db.query("update platform_box set look_at = now() where look_at is not null");
		await enqueue(world.db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
		for (const id of ids) await notify(`/shipments/${boxOf(id).shipment_id}`);
		await settle();
		expect(server.world.created - created).toBe(ORDERS);
		for (const [index, id] of ids.entries()) {
			const label = must(
				server.world.labels.filter(({ shipment_id }) => shipment_id === boxOf(id).shipment_id).at(-1),
				"a label",
			);
			const order = await get(id);
			const { status, tracking_number } = must(order.shipments.at(-1), "a box");
			expect([status, tracking_number]).toEqual([index % 4 === 0 ? "label_created" : "shipped", label.tracking_number]);
		}
		expect(await world.audit()).toEqual([]);
	});
});
