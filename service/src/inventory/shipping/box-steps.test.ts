import { describe, expect, it } from "vitest";
import { type OurBox, paperSteps, voidSteps } from "./box-steps.ts";
import type { PlatformBox } from "./label-platform.ts";

const order = (orderId: string) => ({ orderId, token: `hold of ${orderId}` });
const kits = (orderId: string, qty: number, sku = "S") => ({ orderId, sku, qty });

const ours = (change: Partial<OurBox> = {}): OurBox => ({
	shipmentId: "box 1",
	status: "awaiting_shipment",
	trackingNumber: null,
	orders: [order("A")],
	items: [kits("A", 2)],
	...change,
});
const theirs = (change: Partial<PlatformBox> = {}): PlatformBox => ({
	platformId: "se-1",
	modifiedAt: "2026-03-01T11:00:00Z",
	orderIds: ["A"],
	stage: "shipped",
	carrierCode: "ups",
	serviceCode: null,
	trackingNumber: "1Z",
	trackingUrl: null,
	labelCreatedAt: null,
	shippedAt: null,
	voidedAt: null,
	voidedNumbers: [],
	items: [kits("A", 2)],
	otherItems: [],
	store: null,
	detail: null,
	...change,
});
const whole = { step: "ship", orders: [order("A")], items: null };

describe("What a parcel that left means here", () => {
	it.for([
		["everything of an order", theirs(), [ours()], [whole]],
		["whatever label it had here", theirs(), [ours({ status: "label_created", trackingNumber: "old" })], [whole]],
		["without a number", theirs({ trackingNumber: null }), [ours()], [whole]],
		["a second time", theirs(), [ours({ status: "shipped", trackingNumber: "1Z" })], []],
		["a second time, without a number", theirs({ trackingNumber: null }), [ours({ status: "shipped" })], []],
		[
			"a part that was told before, the rest waits",
			theirs({ items: [kits("A", 1)] }),
			[ours({ status: "shipped", trackingNumber: "1Z" }), ours({ shipmentId: "box 2", items: [kits("A", 1)] })],
			[],
		],
		[
			"a part",
			theirs({ items: [kits("A", 1)] }),
			[ours()],
			[{ step: "ship", orders: [order("A")], items: [{ sku: "S", qty: 1 }] }],
		],
		[
			"orders that were combined here",
			theirs({ orderIds: ["A", "B"], items: [kits("A", 2), kits("B", 1)] }),
			[ours({ orders: [order("A"), order("B")], items: [kits("A", 1), kits("A", 1), kits("B", 1)] })],
			[{ step: "ship", orders: [order("A"), order("B")], items: null }],
		],
		[
			"orders that were merged there alone",
			theirs({ orderIds: ["A", "B"], items: [kits("A", 2), kits("B", 1)] }),
			[ours(), ours({ shipmentId: "box 2", orders: [order("B")], items: [kits("B", 1)] })],
			[whole, { step: "ship", orders: [order("B")], items: null }],
		],
		["an order whose things were all taken out", theirs({ items: [] }), [ours()], []],
		["a box that only waits there", theirs({ stage: "awaiting" }), [ours()], []],
	] as const)("%s", ([, seen, boxes, steps]) => {
		expect(paperSteps(seen, boxes)).toEqual(steps);
	});

	it.for([
		["it was shipped under another number", theirs(), [ours({ status: "shipped", trackingNumber: "other" })]],
		["it was cancelled", theirs(), [ours({ status: "cancelled" })]],
		["a part has no number to be known by", theirs({ trackingNumber: null, items: [kits("A", 1)] }), [ours()]],
		[
			"a box of several orders left in part",
			theirs({ items: [kits("A", 2)] }),
			[ours({ orders: [order("A"), order("B")], items: [kits("A", 2), kits("B", 1)] })],
		],
	] as const)("is refused when %s", ([, seen, boxes]) => {
		expect(paperSteps(seen, boxes)).toMatchObject({ refusal: "wrong_state" });
	});
});

it("A label is noted once, and again when it is another", () => {
	const seen = theirs({ stage: "label_created" });
	const step = { step: "label", orderId: "A", trackingNumber: "1Z" };
	expect(paperSteps(seen, [ours()])).toEqual([step]);
	expect(paperSteps(seen, [ours({ status: "label_created", trackingNumber: "1Z" })])).toEqual([]);
	expect(paperSteps(seen, [ours({ status: "label_created", trackingNumber: "old" })])).toEqual([step]);
});

it("What was labelled or shipped under a number that was voided there is voided, and only that", () => {
	const step = { step: "void", shipmentId: "box 1" };
	const seen = theirs({ stage: "voided", trackingNumber: "1Z", voidedNumbers: ["1Z"] });
	expect(voidSteps(seen, [ours({ status: "shipped", trackingNumber: "1Z" })])).toEqual([step]);
	expect(voidSteps(seen, [ours({ status: "label_created", trackingNumber: "1Z" })])).toEqual([step]);
	expect(voidSteps(seen, [ours({ status: "voided", trackingNumber: "1Z" })])).toEqual([]);
	expect(voidSteps(seen, [ours({ status: "shipped", trackingNumber: "by hand" })])).toEqual([]);
	const again = theirs({ stage: "shipped", trackingNumber: "1Z", voidedNumbers: ["1Z"] });
	expect(voidSteps(again, [ours({ status: "shipped", trackingNumber: "1Z" })])).toEqual([]);
});
