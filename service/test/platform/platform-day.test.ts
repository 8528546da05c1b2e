import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freeAbandonedJobs } from "../../src/ground/jobs/count-jobs.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { askPlatformToCancel, askPlatformToCombine } from "../../src/inventory/shipping/ask-platform.ts";
import type { LabelBox } from "../../src/inventory/shipping/label-platform.ts";
import { lookAtDueBoxes } from "../../src/inventory/shipping/look-at-box.ts";
import { wantPush } from "../../src/inventory/shipping/want-push.ts";
import { seeded } from "../contract/random.ts";
import { size } from "../sizes.ts";
import { labelBox } from "./boxes.ts";
import { type Day, openDay } from "./day.ts";
import type { WorldShipment } from "./world.ts";

/* The platform is a simulated server with the vendor's published API; the vendor's own was not tried. */

let day: Day;
beforeEach(async () => {
	day = await openDay();
});
afterEach(() => day.close());

const boxOf = (orderId: string): WorldShipment => {
	const found = [...day.server.world.shipments.values()].filter(({ external_shipment_id: id }) =>
		id?.startsWith(orderId),
	);
	const last = found.at(-1);
	if (!last) throw new Error(`the platform has no box of ${orderId}`);
	return last;
};

async function stateOf(orderId: string): Promise<{ state: string; generation: number; detail: string | null }> {
	const { rows } = await day.database.db.query("select state, generation, detail from label_push where order_id = $1", [
		orderId,
	]);
	return rows[0] as never;
}

/** Checks that every box of the platform was applied in its present state, and nothing else. */
function expectEqualToPlatform(): void {
	for (const shipment of day.server.world.shipments.values()) {
		const label = day.server.world.labels.filter(({ shipment_id }) => shipment_id === shipment.shipment_id).at(-1);
		const carried = day.ledger.carried.get(shipment.shipment_id);
		expect(carried, `${shipment.shipment_id}, ${shipment.shipment_status}`).toBeDefined();
		expect(carried?.stage).toBe(expectedStage(shipment, label));
		if (shipment.shipment_status === "label_purchased") {
			expect(carried?.trackingNumber).toBe(label?.tracking_number);
		}
		const items = shipment.items.map(
			({ external_order_id, sku, quantity }) => `${external_order_id} ${sku} ${quantity}`,
		);
		expect(carried?.items.map(({ orderId, sku, qty }) => `${orderId} ${sku} ${qty}`)).toEqual(items.toSorted());
	}
}

function expectedStage(
	{ shipment_status }: WorldShipment,
	label?: { voided: boolean; tracking_status: string },
): string {
	if (shipment_status === "cancelled" || shipment_status === "on_hold") return shipment_status;
	if (label === undefined) return "awaiting";
	if (label.voided) return "voided";
	return label.tracking_status === "in_transit" ? "shipped" : "label_created";
}

describe("An order", () => {
	it("is handed over once, its label and its carrier are told back, by the sweep and by a notification", async () => {
		day.startNode();
		const [orderId = ""] = await day.place(labelBox());
		await day.settle();
		expect((await stateOf(orderId)).state).toBe("taken");
		const { shipment_id } = boxOf(orderId);
		const label = day.server.world.buyLabel(shipment_id);
		await day.sweep();
		await day.settle();
		expect(day.ledger.carried.get(shipment_id)).toMatchObject({
			stage: "label_created",
			trackingNumber: label.tracking_number,
			items: [{ orderId, sku: "GLOW-30", qty: 2 }],
		});
		day.server.world.scan(label); // which does not appear in the list of changes
		await day.notify(`/v2/labels/${label.label_id}/track`);
		await day.settle();
		expect(day.ledger.carried.get(shipment_id)?.stage).toBe("shipped");
		expect(day.server.world.created).toBe(1);
	});

	it("with an address that is refused is told so, and the box that was made all the same is cancelled", async () => {
		day.startNode();
		day.server.world.unknownPostalCodes.add("00000");
		const box = labelBox();
		const [orderId = ""] = await day.place({ ...box, shipTo: { ...box.shipTo, postalCode: "00000" } });
		await day.settle();
		expect(day.ledger.notAccepted.get(orderId)).toBe("address_invalid");
		expect(await stateOf(orderId)).toMatchObject({ state: "address_refused", detail: "The postal code is not known." });
		expect(boxOf(orderId).shipment_status).toBe("cancelled");
		// the address is corrected, and the order is released
		day.ledger.add(box);
		await transaction(day.database.db, (tx) => wantPush(tx, [orderId]));
		await day.settle();
		expect(await stateOf(orderId)).toMatchObject({ state: "taken", generation: 2 });
		expect(boxOf(orderId)).toMatchObject({ shipment_status: "pending", external_shipment_id: `${orderId}~2` });
	});

	it("that is not to be handed over any more when its turn comes is not", async () => {
		const [orderId = ""] = await day.place(labelBox());
		day.ledger.boxes.delete(orderId);
		day.startNode();
		await day.settle();
		expect((await stateOf(orderId)).state).toBe("withdrawn");
		expect(day.server.world.created).toBe(0);
	});

	it("whose push was cut off and which is not to be handed over any more is cancelled there", async () => {
		day.server.faults = { cutAfter: 1 };
		const node = day.startNode();
		const [orderId = ""] = await day.place(labelBox());
		while (day.server.world.created === 0) await sleep(10);
		await node.stop();
		day.ledger.boxes.delete(orderId);
		day.server.faults = {};
		day.startNode();
		await day.settle();
		expect((await stateOf(orderId)).state).toBe("withdrawn");
		expect(boxOf(orderId).shipment_status).toBe("cancelled");
	});

	it("that changes and changes back across a service that ended in between is told as it is", async () => {
		day.startNode();
		const [orderId = ""] = await day.place(labelBox());
		await day.settle();
		const { shipment_id } = boxOf(orderId);
		let ends = 1;
		day.ledger.trouble = (when) => {
			// the orders applied it, and the service ends before recording that
			if (when === "after" && ends-- > 0) {
				day.server.world.hold(shipment_id, null);
				throw new Error("the service ended here");
			}
		};
		day.server.world.hold(shipment_id, "2031-07-01T00:00:00Z");
		await day.sweep();
		await day.settle();
		expect(ends).toBeLessThan(1);
		expect(day.ledger.carried.get(shipment_id)?.stage).toBe("awaiting");
	});

	it("is found by its turn to be looked at, though nobody told of it and no list names it", async () => {
		day.startNode();
		const [orderId = ""] = await day.place(labelBox());
		await day.settle();
		const { shipment_id } = boxOf(orderId);
		day.server.world.buyLabel(shipment_id);
		await day.database.db.query("update platform_box set look_at = now()");
		expect(await lookAtDueBoxes(day.database.db)).toBe(1);
		expect(await lookAtDueBoxes(day.database.db)).toBe(0);
		await day.settle();
		expect(day.ledger.carried.get(shipment_id)?.stage).toBe("label_created");
	});
});

describe("Cancelling", () => {
	it("before the order was handed over asks nobody, and it never is", async () => {
		const [orderId = ""] = await day.place(labelBox());
		expect(await askPlatformToCancel({ db: day.database.db, platform: day.platform }, orderId)).toBe("free");
		day.startNode();
		await day.settle();
		expect(day.server.seen).toEqual([]);
	});

	it("asks the platform when it has the order; a refusal leaves everything as it was", async () => {
		day.startNode();
		const [one = "", two = ""] = await day.place(labelBox(), labelBox());
		await day.settle();
		const deps = { db: day.database.db, platform: day.platform };
		day.server.world.buyLabel(boxOf(two).shipment_id);
		expect(await askPlatformToCancel(deps, one)).toBe("free");
		expect(await askPlatformToCancel(deps, two)).toMatchObject({ refusal: "shipstation_error" });
		expect((await stateOf(one)).state).toBe("withdrawn");
		expect((await stateOf(two)).state).toBe("taken");
		expect(boxOf(one).shipment_status).toBe("cancelled");
	});

	it("while a push is under way is refused: nobody knows yet whether it arrived", async () => {
		day.server.faults = { errors: 1 };
		const node = day.startNode();
		const [orderId = ""] = await day.place(labelBox());
		while (day.server.seen.length === 0) await sleep(10);
		await node.stop();
		const answer = await askPlatformToCancel({ db: day.database.db, platform: day.platform }, orderId);
		expect(answer).toMatchObject({
			refusal: "shipstation_error",
			message: expect.stringContaining("at this moment") as string,
		});
		expect((await stateOf(orderId)).state).toBe("under_way");
	});

	it("of an order that nobody was told of is free", async () => {
		const deps = { db: day.database.db, platform: day.platform };
		expect(await askPlatformToCancel(deps, "01890a5d-ac96-774b-bcce-b302099a8057")).toBe("free");
	});
});

describe("Combining", () => {
	const both = (one: LabelBox, two: LabelBox): LabelBox => ({
		...one,
		orders: [one.orders[0], two.orders[0]],
		items: [...one.items, ...two.items],
	});

	it("orders that were not handed over makes them one push of one box", async () => {
		const [one, two] = [labelBox(), labelBox()];
		const [first = "", second = ""] = await day.place(one, two);
		const deps = { db: day.database.db, platform: day.platform };
		expect(await askPlatformToCombine(deps, first, [second])).toBe("free");
		day.ledger.add(both(one, two));
		await transaction(day.database.db, (tx) => wantPush(tx, [first]));
		day.startNode();
		await day.settle();
		expect(day.server.world.created).toBe(1);
		expect(day.ledger.carried.get(boxOf(first).shipment_id)?.orderIds).toEqual([first, second].toSorted());
		expect((await stateOf(second)).state).toBe("taken");
	});

	it("orders that the platform has is done there, and the label of the box is told for all of them", async () => {
		day.startNode();
		const [first = "", second = ""] = await day.place(labelBox(), labelBox());
		await day.settle();
		const deps = { db: day.database.db, platform: day.platform };
		expect(await askPlatformToCombine(deps, first, [second])).toBe("combined");
		expect(await askPlatformToCombine(deps, first, [second])).toBe("combined");
		const label = day.server.world.buyLabel(boxOf(first).shipment_id);
		await day.sweep();
		await day.settle();
		const carried = day.ledger.carried.get(label.shipment_id);
		expect(carried?.items.map(({ orderId }) => orderId)).toEqual([first, second].toSorted());
		expect(carried?.stage).toBe("label_created");
	});

	it("an order that is there and one that is not is refused until it is", async () => {
		const node = day.startNode();
		const [first = ""] = await day.place(labelBox());
		await day.settle();
		await node.stop();
		const [second = ""] = await day.place(labelBox());
		const deps = { db: day.database.db, platform: day.platform };
		expect(await askPlatformToCombine(deps, first, [second])).toMatchObject({ refusal: "shipstation_error" });
	});
});

describe("After a bad day", () => {
	/** Orders of the day. */
	const ORDERS = Math.max(40, size(400));

	it.for([11, 12])("no order was pushed twice, and everything is as the platform has it (seed %i)", async (seed) => {
		const random = seeded(seed);
		const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
		const { world } = day.server;
		// notifications: a third is lost, a third arrives twice, and all arrive in another order
		const notices: string[] = [];
		world.onEvent = (_, path) => {
			const times = Math.floor(random() * 3);
			for (let n = 0; n < times; n++) notices.splice(Math.floor(random() * notices.length), 0, `/v2${path}`);
		};
		day.server.faults = {
			errors: 0.08,
			cutBefore: 0.05,
			cutAfter: 0.05,
			errorsAfter: 0.05,
			slowMs: 2,
			limit: { requests: 150, windowMs: 1_000 },
		};
		day.ledger.trouble = () => {
			if (random() < 0.08) throw new Error("the service ended here");
		};
		const nodes = [day.startNode(), day.startNode()];
		const ids: string[] = [];
		for (let hour = 0; hour < 8; hour++) {
			ids.push(...(await day.place(...Array.from({ length: ORDERS / 8 }, () => labelBox()))));
			for (let n = 0; n < 12; n++) {
				await day.hurry();
				await sleep(15);
				staffWorks(pick, random);
				const notice = notices.pop();
				if (notice !== undefined && world.shipments.size > 0) await day.notify(notice);
			}
			if (hour === 3) {
				await day.database.db.query(
					"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test jobs' and datname = current_database()",
				);
			}
			if (hour === 5) {
				await nodes.shift()?.stop();
				nodes.push(day.startNode());
			}
		}
		// the evening: the platform works again, and everything that was lost is found
		day.server.faults = {};
		day.ledger.trouble = () => undefined;
		for (const node of nodes) await node.stop();
		// jobs that were running when connections were lost stay locked for three minutes
		await day.database.db.query(
			"update graphile_worker._private_jobs set locked_at = locked_at - interval '5 minutes'",
		);
		await freeAbandonedJobs(day.database.db);
		day.startNode();
		await day.settle();
		await day.sweep();
		await day.settle();
		await day.database.db.query("update platform_box set look_at = now() where look_at is not null");
		while ((await lookAtDueBoxes(day.database.db)) > 0);
		await day.settle();
		expect(world.created).toBe(ORDERS);
		expect(new Set(ids).size).toBe(ORDERS);
		expectEqualToPlatform();
		expect(new Set(day.ledger.taken).size).toBe(day.ledger.taken.length);
		const { rows } = await day.database.db.query("select state, count(*) from label_push group by state");
		expect(rows).toEqual([{ state: "taken", count: ORDERS }]);
	});

	/** Something happens in the warehouse, or with a carrier. */
	function staffWorks(pick: <T>(from: readonly T[]) => T, random: () => number): void {
		const { world } = day.server;
		const all = [...world.shipments.values()];
		if (all.length === 0) return;
		const one = pick(all);
		const dice = random();
		const open = one.shipment_status === "pending";
		if (dice < 0.35 && open) world.buyLabel(one.shipment_id);
		else if (dice < 0.45 && open) world.hold(one.shipment_id, "2031-07-01T00:00:00Z");
		else if (dice < 0.55 && one.shipment_status === "on_hold") world.hold(one.shipment_id, null);
		else if (dice < 0.6 && open) world.cancel(one.shipment_id);
		else if (dice < 0.7) world.touch(one.shipment_id);
		else if (world.labels.length > 0) {
			const label = pick(world.labels);
			const live = !label.voided && world.get(label.shipment_id).shipment_status === "label_purchased";
			if (live && dice < 0.75) world.voidLabel(label);
			else if (live) world.scan(label);
		}
	}
});
