import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enqueue } from "../../src/jobs/enqueue.ts";
import { newJob } from "../../src/jobs/job.ts";
import { must } from "../../src/lib/assert.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../../src/shipping/job-names.ts";
import { type Joined, openJoined } from "./joined.ts";
import { seeded } from "./random.ts";

/* Orders of the service and the label platform, joined. The platform is a server of ours; the vendor's own was not tried. */

let joined: Joined;
let server: Joined["server"];
let world: Joined["world"];
beforeAll(async () => {
	joined = await openJoined(3);
	({ server, world } = joined);
});
afterAll(() => joined.close());

describe("After a bad day in small", () => {
	const ORDERS = 8;
	/** Milliseconds: a platform that is silent several times in a row is left alone for half a minute. */
	const BAD_DAY_MS = 240_000;
	it("no order was pushed twice, and both sides say the same", { timeout: BAD_DAY_MS }, async () => {
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
		for (let n = 0; n < ORDERS; n++) ids.push((await joined.place()).order_id);
		await joined.settle();
		for (const [index, id] of ids.entries()) {
			const label = server.world.buyLabel(id);
			if (index % 4 === 0) continue;
			server.world.scan(label);
			if (index % 4 !== 1) continue;
			server.world.voidLabel(label);
			server.world.scan(server.world.buyLabel(id));
		}
		for (const path of notices) await joined.notify(path);
		await joined.settle();
		server.faults = {};
		await world.db.query("update platform_box set look_at = now() where look_at is not null");
		await enqueue(world.db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
		for (const id of ids) await joined.notify(`/shipments/${joined.boxOf(id).shipment_id}`);
		await joined.settle();
		expect(server.world.created - created).toBe(ORDERS);
		for (const [index, id] of ids.entries()) {
			const label = must(
				server.world.labels.filter(({ shipment_id }) => shipment_id === joined.boxOf(id).shipment_id).at(-1),
				"a label",
			);
			const order = await joined.get(id);
			const { status, tracking_number } = must(order.shipments.at(-1), "a box");
			expect([status, tracking_number]).toEqual([index % 4 === 0 ? "label_created" : "shipped", label.tracking_number]);
		}
		expect(await world.audit()).toEqual([]);
	});
});
