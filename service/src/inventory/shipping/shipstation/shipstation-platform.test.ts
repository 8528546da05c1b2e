import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { labelBox } from "../../../../test/platform/boxes.ts";
import { API_KEY, openPlatform, type PlatformServer } from "../../../../test/platform/server.ts";
import type { HintPosition, LabelBox, LabelPlatform, PlatformBox, PushedOrder } from "../label-platform.ts";
import { limitsOf } from "./budget.ts";
import { createShipStationClient, type ShipStationClient } from "./client.ts";
import { createShipStation } from "./shipstation-platform.ts";

const NEVER = new AbortController().signal;
/** A current day long before the platform's time. */
const TODAY = "2026-03-02";

let server: PlatformServer;
let client: ShipStationClient;
let platform: LabelPlatform;
beforeEach(async () => {
	server = await openPlatform();
	client = createShipStationClient({ url: server.url, apiKey: API_KEY, limits: limitsOf(190) });
	platform = createShipStation(client);
});
afterEach(async () => {
	await client.close();
	await server.close();
});

const push = (box: LabelBox, again = false): ReturnType<LabelPlatform["push"]> => platform.push(box, again, NEVER);

async function pushed(box: LabelBox = labelBox()): Promise<PushedOrder> {
	const outcome = await push(box);
	if (outcome.outcome !== "taken") throw new Error(`not taken: ${JSON.stringify(outcome)}`);
	return { orderId: box.orders[0].orderId, generation: box.generation, platformId: outcome.platformId };
}

async function look({ platformId }: PushedOrder, today = TODAY): Promise<PlatformBox> {
	return (await platform.read(platformId, today, NEVER)) as PlatformBox;
}

describe("A push", () => {
	it("hands the box over as published, with the order's id as the external one", async () => {
		const box = labelBox({ service: "overnight", note: "Leave at the door." });
		const { platformId, orderId } = await pushed(box);
		const theirs = server.world.get(platformId);
		expect(theirs.external_shipment_id).toBe(orderId);
		expect(theirs.notes_from_buyer).toBe(`Service: overnight. Reference: ${box.orders[0].ref}. Leave at the door.`);
		expect(theirs.items).toMatchObject([{ sku: "GLOW-30", quantity: 2, external_order_id: orderId }]);
		expect(theirs.ship_to).toMatchObject({ postal_code: "78701", state_province: "TX", country_code: "US" });
	});

	it("that is repeated changes nothing, whether or not it is known to be one", async () => {
		const box = labelBox();
		const { platformId } = await pushed(box);
		const before = structuredClone(server.world.get(platformId));
		expect(await push(box)).toEqual({ outcome: "taken", platformId });
		expect(await push(box, true)).toEqual({ outcome: "taken", platformId });
		expect(server.world.created).toBe(1);
		expect(server.world.get(platformId)).toEqual(before);
	});

	it.for(["cutAfter", "errorsAfter"] as const)(
		"that was done and not answered (%s) is found by the next",
		async (fault) => {
			const box = labelBox();
			server.faults = { [fault]: 1 };
			expect(await push(box)).toMatchObject({ outcome: "later" });
			server.faults = {};
			expect(await push(box, true)).toMatchObject({ outcome: "taken" });
			expect(server.world.created).toBe(1);
		},
	);

	it("that failed before anything was done is done by the next", async () => {
		const box = labelBox();
		server.faults = { cutBefore: 1 };
		expect(await push(box)).toMatchObject({ outcome: "later" });
		server.faults = {};
		expect(await push(box, true)).toMatchObject({ outcome: "taken" });
		expect(server.world.created).toBe(1);
	});

	it("after the platform cancelled the box makes a new one under the next generation", async () => {
		const box = labelBox();
		const first = await pushed(box);
		expect(await platform.cancel(first, NEVER)).toBe("cancelled");
		const second = await pushed({ ...box, generation: 2 });
		expect(second.platformId).not.toBe(first.platformId);
		expect(server.world.get(second.platformId).external_shipment_id).toBe(`${first.orderId}~2`);
		expect((await look(second)).orderIds).toEqual([first.orderId]);
	});

	it.for([true, false])("whose address is refused says so, and which box was made all the same: %s", async (makes) => {
		server.world.makesBoxesWithBadAddresses = makes;
		server.world.unknownPostalCodes.add("78701");
		const outcome = await push(labelBox());
		expect(outcome).toMatchObject({ outcome: "address_refused", detail: "The postal code is not known." });
		expect(outcome).toHaveProperty("platformId", makes ? expect.stringMatching(/^se-/) : null);
		expect(server.world.created).toBe(makes ? 1 : 0);
	});

	it("whose address lacks what the platform demands is an address refused, too", async () => {
		const box = labelBox();
		const outcome = await push({ ...box, shipTo: { ...box.shipTo, line1: "" } });
		expect(outcome).toMatchObject({ outcome: "address_refused", detail: "ship_to.address_line1 must not be empty." });
	});

	it("without state or telephone number meets the published schema all the same", async () => {
		const box = labelBox();
		await pushed({ ...box, shipTo: { ...box.shipTo, state: null, phone: null, country: "SG" } });
	});

	it("with a key that is not accepted is tried again much later", async () => {
		const stranger = createShipStationClient({ url: server.url, apiKey: "wrong", limits: limitsOf(190) });
		const outcome = await createShipStation(stranger).push(labelBox(), false, NEVER);
		await stranger.close();
		expect(outcome).toMatchObject({ outcome: "later", afterMs: 600_000 });
	});
});

describe("A cancellation", () => {
	it("is done once, and again is the same", async () => {
		const order = await pushed();
		expect(await platform.cancel(order, NEVER)).toBe("cancelled");
		expect(await platform.cancel(order, NEVER)).toBe("cancelled");
		expect((await look(order)).stage).toBe("cancelled");
	});

	it("is refused once there is a label", async () => {
		const order = await pushed();
		server.world.buyLabel(order.platformId);
		expect(await platform.cancel(order, NEVER)).toMatchObject({ refusal: "shipstation_error" });
		expect(server.world.get(order.platformId).shipment_status).toBe("label_purchased");
	});

	it("of one order in a box of several is refused, and the box stays", async () => {
		const [one, two] = [await pushed(), await pushed()];
		expect(await platform.combine(one, [two], NEVER)).toBe("combined");
		expect(await platform.cancel(one, NEVER)).toMatchObject({ refusal: "shipstation_error" });
		expect(await platform.cancel(two, NEVER)).toMatchObject({ refusal: "shipstation_error" });
		expect((await look(one)).stage).toBe("awaiting");
	});

	it("of an order of which the box has only a part, or that shares it with another store's items, is refused", async () => {
		const order = await pushed();
		expect(await platform.cancel(order, NEVER, 3)).toMatchObject({ refusal: "shipstation_error" });
		const { items } = server.world.get(order.platformId);
		items.push({ ...items[0], sku: "SOAP", external_order_id: "shop-55" } as (typeof items)[number]);
		expect(await platform.cancel(order, NEVER, 2)).toMatchObject({ refusal: "shipstation_error" });
		items.pop();
		expect((await look(order)).stage).toBe("awaiting");
		expect(await platform.cancel(order, NEVER, 2)).toBe("cancelled");
	});

	it("that gets no answer is a refusal, and everything stays as it was", async () => {
		const order = await pushed();
		server.faults = { cutBefore: 1 };
		expect(await platform.cancel(order, NEVER)).toMatchObject({ refusal: "shipstation_error" });
		server.faults = { cutBefore: 1, only: /cancel$/ };
		expect(await platform.cancel(order, NEVER)).toMatchObject({ refusal: "shipstation_error" });
		server.faults = {};
		expect((await look(order)).stage).toBe("awaiting");
	});

	it.for(["cutAfter", "errorsAfter"] as const)("that was done and not answered (%s) is seen", async (fault) => {
		const order = await pushed();
		server.faults = { [fault]: 1, only: /cancel$/ };
		expect(await platform.cancel(order, NEVER)).toBe("cancelled");
	});
});

describe("Combining", () => {
	it("puts all items into the primary order's box, and again is the same", async () => {
		const [one, two, three] = [await pushed(), await pushed(), await pushed()];
		expect(await platform.combine(one, [two, three], NEVER)).toBe("combined");
		expect(await platform.combine(one, [two, three], NEVER)).toBe("combined");
		const box = await look(one);
		expect(box.orderIds).toEqual([one.orderId, two.orderId, three.orderId].toSorted());
		expect(box.items.map(({ qty }) => qty)).toEqual([2, 2, 2]);
		expect(await platform.read(two.platformId, TODAY, NEVER)).toBeNull();
	});

	it.for(["cutAfter", "errorsAfter"] as const)("that was done and not answered (%s) is seen", async (fault) => {
		const [one, two] = [await pushed(), await pushed()];
		server.faults = { [fault]: 1, only: /merge$/ };
		expect(await platform.combine(one, [two], NEVER)).toBe("combined");
	});

	it("is refused when one of them has a label, and everything stays as it was", async () => {
		const [one, two] = [await pushed(), await pushed()];
		server.world.buyLabel(two.platformId);
		expect(await platform.combine(one, [two], NEVER)).toMatchObject({ refusal: "shipstation_error" });
		expect((await look(one)).orderIds).toEqual([one.orderId]);
		expect((await look(two)).stage).toBe("label_created");
	});
});

describe("A box is read", () => {
	it("from its label to the carrier, with carrier, service and tracking number", async () => {
		const order = await pushed();
		const label = server.world.buyLabel(order.platformId);
		const box = await look(order);
		const { tracking_number: trackingNumber, created_at: labelCreatedAt } = label;
		expect(box).toMatchObject({ stage: "label_created", carrierCode: "ups", serviceCode: "ups_ground" });
		expect(box).toMatchObject({ trackingNumber, labelCreatedAt, shippedAt: null });
		server.world.scan(label);
		expect(await look(order)).toMatchObject({ stage: "shipped", trackingNumber });
	});

	it("when its label was voided, and when a new one was made", async () => {
		const order = await pushed();
		const label = server.world.buyLabel(order.platformId);
		server.world.voidLabel(label);
		expect(await look(order)).toMatchObject({ stage: "voided", voidedAt: label.voided_at });
		server.world.buyLabel(order.platformId);
		expect(await look(order)).toMatchObject({ stage: "label_created" });
	});

	it("when it was marked as shipped without a label", async () => {
		const order = await pushed();
		server.world.mark(order.platformId, "FX-1");
		expect(await look(order)).toMatchObject({ stage: "shipped", trackingNumber: "FX-1", carrierCode: "fedex" });
	});

	it("when somebody stopped it there", async () => {
		const order = await pushed();
		server.world.hold(order.platformId, "2031-06-01T00:00:00Z");
		const detail = "The label platform holds the box until 2031-06-01T00:00:00Z.";
		expect(await look(order)).toMatchObject({ stage: "on_hold", detail });
	});

	it("not at all when the platform has none, or is not well", async () => {
		expect(await platform.read("se-999", TODAY, NEVER)).toBeNull();
		server.faults = { errors: 1 };
		expect(await platform.read("se-999", TODAY, NEVER)).toMatchObject({ refusal: "shipstation_error" });
	});
});

describe("The list of changes", () => {
	async function walk(from: HintPosition, between: (page: number) => void = () => undefined): Promise<string[]> {
		const ids: string[] = [];
		let position: HintPosition | null = from;
		for (let page = 0; position !== null; page++) {
			const answer = await platform.changesSince(position, NEVER);
			if (!("hints" in answer)) throw new Error(answer.message);
			ids.push(...answer.hints.map(({ platformId }) => platformId));
			position = answer.next;
			between(page);
		}
		return ids;
	}
	const make = (count: number): string[] =>
		Array.from({ length: count }, () => {
			const ship_to = { postal_code: "1" };
			const { shipment } = server.world.create({ external_shipment_id: randomUUID(), ship_to, items: [] });
			return shipment?.shipment_id ?? "";
		});
	const begin = { since: "2031-01-01T00:00:00Z", page: 1 };

	it("is read whole, page by page, from an instant on", async () => {
		make(120);
		server.world.pass(1);
		const since = server.world.now();
		const later = make(130);
		expect(new Set(await walk({ since, page: 1 }))).toEqual(new Set(later));
	});

	it("misses nothing when boxes of earlier pages are modified between pages", async () => {
		const ids = make(450);
		const touched = new Set<string>();
		const seen = await walk(begin, (page) => {
			if (page > 1) return;
			for (const id of ids.slice(page * 100, page * 100 + 60)) {
				server.world.touch(id);
				touched.add(id);
			}
		});
		expect(new Set(seen)).toEqual(new Set(ids));
		for (const id of touched) expect(seen.filter((one) => one === id).length).toBeGreaterThan(1);
	});

	it("is read whole when more boxes than a page holds were modified at one instant", async () => {
		const ids = make(250);
		for (const one of server.world.shipments.values()) one.modified_at = "2031-05-05T00:00:00.000Z";
		expect(new Set(await walk(begin))).toEqual(new Set(ids));
	});
});
