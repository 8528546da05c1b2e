import { describe, expect, it } from "vitest";
import { eventOf, impairedEvent, type PartnerEvent, shipmentEvent, testEvent } from "./event.ts";

const OWNER = { partnerId: "0199f0a0-0000-7000-8000-0000000000a1", environment: "live" } as const;
const ORDER_ID = "0199f0a0-0000-7000-8000-000000000e01";
const BOX_ID = "0199f0a0-0000-7000-8000-000000000501";
const NOW = Date.parse("2026-09-06T12:00:00.000Z");
const ORDER = { order_id: ORDER_ID, ref: "cart-1", external_order_id: null, order_status: "placed", order_version: 2 };
const PARCEL = {
	shipment_id: BOX_ID,
	carrier_code: "ups",
	service_code: null,
	tracking_number: "1Z",
	tracking_url: null,
	combined_order_ids: [],
};
const HOLD = { reservation_token: ORDER_ID, external_ref: null, expires_at: "2026-09-06T12:30:00.000Z", items: [] };
const AT = "2026-09-06T12:00:00.000Z";

const held = (version: number): PartnerEvent => {
	const why = { reason: "operator", detail: null, action: "manufacturer" } as const;
	return eventOf("order.held", OWNER, { ...ORDER, order_version: version, ...why }, NOW);
};
const labelled = (version: number, place: number): PartnerEvent => {
	const shipment = { ...PARCEL, label_created_at: AT };
	return shipmentEvent("shipment.label_created", OWNER, { ...ORDER, shipment }, { version, place }, NOW);
};
const voided = (version: number, place: number): PartnerEvent => {
	const shipment = { ...PARCEL, voided_at: AT };
	return shipmentEvent("shipment.voided", OWNER, { ...ORDER, shipment }, { version, place }, NOW);
};

describe("An event's id", () => {
	it.each<[what: string, event: PartnerEvent, id: string]>([
		["an order's, of its version", held(2), "evt_0199f0a0000070008000000000000e010002"],
		["an order's that has changed often", held(12_345), "evt_0199f0a0000070008000000000000e0112345"],
		["a box's, of its version and the order's place", labelled(3, 1), "evt_0199f0a0000070008000000000000501000301"],
		[
			"a hold's, of its losses and the time",
			impairedEvent(OWNER, HOLD, 7, NOW),
			`evt_0199f0a0000070008000000000000e010007${NOW}`,
		],
		["a test's, of its own", testEvent(OWNER, BOX_ID, ORDER_ID, NOW), "evt_0199f0a0000070008000000000000e01"],
	])("is %s", (_what, { eventId }, id) => {
		expect(eventId).toBe(id);
		expect(eventId.length).toBeLessThanOrEqual(64); // of the filter of the operator's list
	});

	it("is another one for every other change", () => {
		const events = [
			...[1, 2, 10, 100, 1_000, 10_000].map(held),
			...[1, 2, 1_000, 10_000, 10_001].flatMap((version) => [labelled(version, 0), labelled(version, 19)]),
			voided(3, 0),
			...[1, 2, 1_000].flatMap((lost) => [NOW, NOW + 1].map((now) => impairedEvent(OWNER, HOLD, lost, now))),
		];
		expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
	});
});

describe("An event", () => {
	it.each<[type: string, event: PartnerEvent, orderId: string | null, data: object]>([
		["order.held", held(2), ORDER_ID, { ...ORDER, reason: "operator", detail: null, action: "manufacturer" }],
		[
			"order.cancelled",
			eventOf("order.cancelled", OWNER, { ...ORDER, by: "partner", detail: "changed their mind" }, NOW),
			ORDER_ID,
			{ ...ORDER, by: "partner", detail: "changed their mind" },
		],
		["order.released", eventOf("order.released", OWNER, ORDER, NOW), ORDER_ID, ORDER],
		["shipment.label_created", labelled(3, 0), ORDER_ID, { ...ORDER, shipment: { ...PARCEL, label_created_at: AT } }],
		["shipment.voided", voided(3, 0), ORDER_ID, { ...ORDER, shipment: { ...PARCEL, voided_at: AT } }],
		["hold.impaired", impairedEvent(OWNER, HOLD, 1, NOW), null, HOLD],
		["webhook.test", testEvent(OWNER, BOX_ID, ORDER_ID, NOW), null, { endpoint_id: BOX_ID }],
	])("%s goes to its owner, about its order, in the envelope of all events", (type, event, orderId, data) => {
		expect(event).toMatchObject({ type, ...OWNER, orderId });
		expect(event.body).toBe(JSON.stringify({ type, timestamp: AT, version: "2026-09-06", environment: "live", data }));
	});
});
