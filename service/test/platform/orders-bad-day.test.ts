import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enqueue } from "../../src/ground/jobs/enqueue.ts";
import { newJob } from "../../src/ground/jobs/job.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../../src/inventory/shipping/job-names.ts";
import { seeded } from "../contract/random.ts";
import { setStoreWhole } from "../demand-world.ts";
import { sizeOr } from "../sizes.ts";
import { type Joined, openJoined } from "./joined.ts";

/*
 * A service with orders, connected to a label platform. The platform is simulated; the vendor's own was not tried.
 */

let joined: Joined;
let server: Joined["server"];
let world: Joined["world"];
beforeAll(async () => {
	joined = await openJoined(3);
	({ server, world } = joined);
});
afterAll(() => joined.close());

describe("After a bad day in small", () => {
	/** There are as many orders of another store. */
	const ORDERS = sizeOr(64, 8);
	/**
	 * Milliseconds: after several requests in a row without an answer, the platform gets no background requests for
	 * half a minute.
	 */
	const BAD_DAY_MS = 240_000;
	it("no order was pushed twice, no other store's order drawn down twice, and both sides say the same", {
		timeout: BAD_DAY_MS,
	}, async () => {
		const random = seeded(5);
		await setStoreWhole(world.db, { store: "se-shop", brandCode: "ACME", shared: false });
		const shelf = await world.stocked([{ brand: "ACME", units: 10_000 }], 2);
		const created = server.world.created;
		server.faults = { errors: 0.25, errorsAfter: 0.05, cutBefore: 0.05, cutAfter: 0.05 };
		const notices: string[] = [];
		server.world.onEvent = (_, path) => {
			for (let times = Math.floor(random() * 3); times > 0; times--) {
				notices.splice(Math.floor(random() * notices.length), 0, path);
			}
		};
		const ids: string[] = [];
		for (let n = 0; n < ORDERS; n++) ids.push((await joined.place()).order_id);
		const sold = ids.map((_, n) => server.world.sell("se-shop", { [shelf.sku]: n + 1 }).shipment_id);
		await joined.settle();
		for (const [index, id] of [...ids, ...sold].entries()) {
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
		for (const id of sold) await joined.notify(`/shipments/${id}`);
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
		// every fourth has a label that no carrier has scanned: it is still promised; all others are drawn down once
		const { rows } = await world.db.query(
			`select reference, (select sum(units) from demand d where d.reference = r.reference)::int as promised,
			        (select sum(units) from draw_down d where d.reference = r.reference)::int as drawn
			   from reported_order r order by length(reference), reference`,
		);
		expect(rows).toEqual(
			sold.map((id, n) => {
				const units = 2 * (n + 1);
				const [promised, drawn] = n % 4 === 0 ? [units, null] : [null, units];
				return { reference: `shipstation:${id}`, promised, drawn };
			}),
		);
		expect(await world.audit()).toEqual([]);
	});
});
