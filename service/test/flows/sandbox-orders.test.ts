import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { type AdvanceDeps, advanceDueBoxes } from "../../src/upkeep/sandbox/advance-due-boxes.ts";
import { selectDueBoxes } from "../../src/upkeep/sandbox/box-sql.ts";
import { ADVANCE_ORDERS } from "../../src/upkeep/sandbox/tasks.ts";
import { warehouseOf } from "../contract/order-world.ts";
import { age, eventsOf, openSandboxWorld, type Player, playerOf } from "../contract/sandbox-world.ts";
import type { World } from "../contract/world.ts";
import { runTask } from "../run-task.ts";

let world: World;
let player: Player;
let key: string;
let deps: AdvanceDeps;

beforeAll(async () => {
	world = await openSandboxWorld();
	key = (await world.key({ brand: "SANDBOX" })).token;
	player = playerOf(world, key);
	deps = { engine: world.deps.engine, readDb: world.deps.readDb };
});
afterAll(() => world.stop());

/** One run of the task, in addition to those of the service itself. */
const run = () => advanceDueBoxes(deps);
const statusOf = async (ref: string) => (await player.get(ref)).data.status;
/** Runs the task until the order has this state: another run may be moving it. */
const reaches = async (ref: string, status: string): Promise<void> => {
	await expect.poll(async () => [await run(), await statusOf(ref)][1]).toBe(status);
};

describe("Orders of the sandbox move on by themselves (settlements, section 10)", () => {
	it("picked at 30 seconds, shipped at 60, with the event that is sent to the partner", async () => {
		const { ref, orderId } = await player.placed();
		await run();
		expect(await statusOf(ref)).toBe("placed");
		await age(world, 31, orderId);
		await reaches(ref, "picked");
		await run();
		expect(await statusOf(ref)).toBe("picked");
		await age(world, 30, orderId);
		await reaches(ref, "shipped");
		const { rows } = await world.db.query<{ body: string }>("select body from event where order_id = $1", [orderId]);
		expect(rows).toHaveLength(1);
		expect(JSON.parse(must(rows[0], "the event").body)).toMatchObject({
			type: "order.shipped",
			environment: "sandbox",
			data: {
				order_id: orderId,
				final: true,
				shipment: { carrier_code: "sandbox_post", tracking_number: expect.stringMatching(/^SBX\d{12}$/) },
			},
		});
		expect(await world.audit()).toEqual([]);
	});

	it("what was left alone for long is picked, then shipped", async () => {
		const { ref, orderId } = await player.placed("SBX-KIT");
		await age(world, 3_600, orderId);
		await reaches(ref, "shipped");
		expect(await eventsOf(world, orderId)).toEqual(["order.shipped"]);
	});

	it("SBX-HELD is held at 30 seconds and stays so; once somebody released it, it goes on and is not held again", async () => {
		const { ref, orderId } = await player.placed("SBX-HELD");
		await age(world, 31, orderId);
		await reaches(ref, "held");
		await age(world, 60, orderId);
		await run();
		const held = (await player.get(ref)).data;
		expect(held).toMatchObject({ status: "held", hold_reason: "other" });
		expect(await eventsOf(world, orderId)).toEqual(["order.held"]);
		await warehouseOf(world).release(held);
		await reaches(ref, "shipped");
		expect(await eventsOf(world, orderId)).toEqual(["order.held", "order.shipped"]);
	});

	it("an order that a partner put on hold stays so, and goes on once it is released", async () => {
		const { ref, orderId } = await player.placed();
		await player.advance(ref, "held");
		await age(world, 90, orderId);
		await run();
		expect(await statusOf(ref)).toBe("held");
		await warehouseOf(world).release((await player.get(ref)).data);
		await reaches(ref, "shipped");
	});

	it("orders in one box move on together, when the one placed last is due, and each is told of by its own event", async () => {
		const [a, b] = [await player.placed(), await player.placed()];
		await player.combine(a.ref, b.ref);
		await age(world, 31, a.orderId);
		await run();
		expect([await statusOf(a.ref), await statusOf(b.ref)]).toEqual(["placed", "placed"]);
		await age(world, 31, b.orderId);
		await reaches(a.ref, "picked");
		await reaches(b.ref, "picked");
		await age(world, 30, a.orderId, b.orderId);
		await reaches(b.ref, "shipped");
		expect(await statusOf(a.ref)).toBe("shipped");
		for (const { orderId } of [a, b]) expect(await eventsOf(world, orderId)).toEqual(["order.shipped"]);
	});

	it("an order waits beside a held one in its box, without keeping others from their turn", async () => {
		const [a, b] = [await player.placed("SBX-HELD"), await player.placed()];
		await player.combine(a.ref, b.ref);
		await age(world, 90, a.orderId, b.orderId);
		await reaches(a.ref, "held");
		await run();
		expect(await statusOf(b.ref)).toBe("placed");
		expect(await selectDueBoxes(world.deps.readDb, 10)).toEqual([]);
	});

	it("what the warehouse shipped in part is shipped to its end; what is live is left alone", async () => {
		const part = await player.place(await player.hold("SBX-PLENTY", 3));
		await warehouseOf(world).ship(part.data, { "SBX-PLENTY": 1 });
		const live = (await world.key()).token;
		const { sku } = await world.stocked([{ brand: null, units: 5 }]);
		const liveOrder = await playerOf(world, live).placed(sku);
		await age(world, 90, part.data.order_id, liveOrder.orderId);
		await reaches(part.data.ref, "shipped");
		expect(await eventsOf(world, part.data.order_id)).toEqual(["order.shipped", "order.shipped"]);
		await run();
		expect((await playerOf(world, live).get(liveOrder.ref)).data.status).toBe("placed");
	});

	it("many nodes do each move once", async () => {
		const orders = await Promise.all(
			Array.from({ length: 12 }, (_, n) => player.placed(n % 3 ? undefined : "SBX-HELD")),
		);
		await age(world, 90, ...orders.map(({ orderId }) => orderId));
		const nodes = Array.from({ length: 4 }, () => runTask(ADVANCE_ORDERS, deps));
		await expect
			.poll(async () => (await Promise.all(orders.map(({ ref }) => statusOf(ref)))).toSorted())
			.toEqual([...Array(4).fill("held"), ...Array(8).fill("shipped")]);
		for (const node of nodes) await node.stop();
		for (const { orderId } of orders) expect(await eventsOf(world, orderId)).toHaveLength(1);
		const { rows } = await world.db.query<{ version: number }>("select version from orders where order_id = $1", [
			orders[1]?.orderId,
		]);
		expect(rows).toEqual([{ version: 3 }]); // placed, picked, shipped
		expect(await world.audit()).toEqual([]);
	});
});

describe("Looking for what is due", () => {
	it("reads the index of advancing orders, whose few rows cost next to nothing", async () => {
		await run();
		await expect
			.poll(
				async () => {
					const { rows } = await world.db.query<{ scans: number }>(
						"select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = 'orders_advancing'",
					);
					return rows[0]?.scans;
				},
				{ timeout: 20_000 },
			)
			.toBeGreaterThan(0);
	});
});
