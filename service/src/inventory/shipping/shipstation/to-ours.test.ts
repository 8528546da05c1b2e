import { describe, expect, it } from "vitest";
import { toBox } from "./to-ours.ts";
import type { TheirFulfillment, TheirItem, TheirLabel, TheirShipment } from "./wire.ts";

const A = "01890a5d-ac96-774b-bcce-b302099a8057";
const B = "01890a5d-ac96-774b-bcce-b302099a8058";
const TODAY = "2026-03-02";

const item = (sku: string | null, quantity: number, externalOrderId: string | null = A): TheirItem => ({
	sku,
	name: "a name",
	quantity,
	externalOrderId,
});
const shipment = (change: Partial<TheirShipment> = {}): TheirShipment => ({
	shipmentId: "se-1",
	externalShipmentId: A,
	status: "pending",
	createdAt: "2026-03-01T10:00:00Z",
	modifiedAt: "2026-03-01T11:00:00Z",
	holdUntil: null,
	storeId: null,
	items: [item("S", 2)],
	...change,
});
const label = (change: Partial<TheirLabel> = {}): TheirLabel => ({
	labelId: "se-9",
	status: "completed",
	voided: false,
	voidedAt: null,
	isReturn: false,
	createdAt: "2026-03-02T09:00:00Z",
	shipDay: TODAY,
	trackingNumber: "1Z",
	trackingUrl: "https://carrier.example/1Z",
	trackingStatus: "unknown",
	carrierCode: "ups",
	serviceCode: "ups_ground",
	...change,
});
const mark = (change: Partial<TheirFulfillment> = {}): TheirFulfillment => ({
	voided: false,
	createdAt: "2026-03-02T12:00:00Z",
	shipDay: TODAY,
	trackingNumber: "FX",
	trackingUrl: null,
	carrierCode: "fedex",
	serviceCode: null,
	...change,
});
const boxOf = (
	one: TheirShipment,
	labels: readonly TheirLabel[] = [],
	fulfillments: readonly TheirFulfillment[] = [],
): ReturnType<typeof toBox> => toBox({ shipment: one, labels, fulfillments }, TODAY);

describe("How far a box has come", () => {
	it.for([
		["nothing was done", shipment(), [], [], "awaiting"],
		["it is on hold there", shipment({ status: "on_hold" }), [], [], "on_hold"],
		["it is cancelled, whatever labels it had", shipment({ status: "cancelled" }), [label()], [], "cancelled"],
		["a label was made today", shipment(), [label()], [], "label_created"],
		["the ship date is ahead", shipment(), [label({ shipDay: "2026-03-05" })], [], "label_created"],
		["the ship date is over", shipment(), [label({ shipDay: "2026-03-01" })], [], "shipped"],
		["the carrier has it", shipment(), [label({ trackingStatus: "in_transit", shipDay: "2026-03-05" })], [], "shipped"],
		["tracking failed, which says nothing", shipment(), [label({ trackingStatus: "error" })], [], "label_created"],
		["the only label was voided", shipment(), [label({ voided: true, status: "voided" })], [], "voided"],
		[
			"it was put on hold after its label was voided",
			shipment({ status: "on_hold" }),
			[label({ voided: true })],
			[],
			"on_hold",
		],
		["the label failed", shipment(), [label({ status: "error" })], [], "awaiting"],
		["the label is for a return", shipment(), [label({ isReturn: true })], [], "awaiting"],
		[
			"a voided label was replaced",
			shipment(),
			[label({ voided: true }), label({ labelId: "se-10" })],
			[],
			"label_created",
		],
		["it was marked as shipped", shipment(), [], [mark()], "shipped"],
		["the mark was taken back", shipment(), [], [mark({ voided: true })], "awaiting"],
	] as const)("%s", ([, one, labels, marks, stage]) => {
		expect(boxOf(one, labels, marks).stage).toBe(stage);
	});

	it("of two labels the newer one counts, in whatever order they come", () => {
		const labels = [
			label({ trackingNumber: "old", createdAt: "2026-03-01T08:00:00Z" }),
			label({ trackingNumber: "new", createdAt: "2026-03-02T08:00:00Z" }),
		];
		expect(boxOf(shipment(), labels).trackingNumber).toBe("new");
		expect(boxOf(shipment(), labels.toReversed()).trackingNumber).toBe("new");
	});

	it("was shipped on the named day, or when the label was made if that was later", () => {
		const carried = { trackingStatus: "in_transit" };
		expect(boxOf(shipment(), [label({ ...carried, shipDay: "2026-03-04" })]).shippedAt).toBe(
			"2026-03-04T00:00:00.000Z",
		);
		expect(boxOf(shipment(), [label({ ...carried })]).shippedAt).toBe("2026-03-02T09:00:00Z");
	});

	it("a box on hold tells when its label was voided, and of the label no more", () => {
		const box = boxOf(shipment({ status: "on_hold" }), [label({ voided: true, voidedAt: "2026-03-02T09:30:00Z" })]);
		expect(box).toMatchObject({ voidedAt: "2026-03-02T09:30:00Z", trackingNumber: null, labelCreatedAt: null });
	});

	it("a cancelled box tells of no label", () => {
		const box = boxOf(shipment({ status: "cancelled" }), [label()]);
		expect(box).toMatchObject({ trackingNumber: null, trackingUrl: null, labelCreatedAt: null, carrierCode: null });
	});
});

describe("Whose items lie in a box", () => {
	it("each item tells; one that does not belongs to the order the box is kept under", () => {
		const box = boxOf(shipment({ items: [item("S", 1, B), item("S", 2, null), item("T", 3)] }));
		expect(box.orderIds).toEqual([A, B]);
		expect(box.items).toEqual([
			{ orderId: A, sku: "S", qty: 2 },
			{ orderId: A, sku: "T", qty: 3 },
			{ orderId: B, sku: "S", qty: 1 },
		]);
	});

	it("lines of one order and SKU are one item; lines without a SKU or a quantity are none", () => {
		const box = boxOf(shipment({ items: [item("S", 1), item("S", 4), item(null, 3), item("T", 0)] }));
		expect(box.items).toEqual([{ orderId: A, sku: "S", qty: 5 }]);
	});

	it("a later generation is the same order", () => {
		expect(boxOf(shipment({ externalShipmentId: `${A}~12`, items: [] })).orderIds).toEqual([A]);
	});

	it.for(["1000123", "", `${A}~1`, `${A}~0`, `${A}x`, A.toUpperCase()])(
		"%j names no order of ours",
		(externalShipmentId) => {
			expect(boxOf(shipment({ externalShipmentId, items: [item("S", 1, "web-55")] })).orderIds).toEqual([]);
		},
	);
});

describe("The contents of a box", () => {
	it("that name another store's order are not those of the order under whose id it is kept", () => {
		const box = boxOf(shipment({ items: [item("S", 2), item("S", 1, null), item("T", 3, "shop-55")] }));
		expect([box.orderIds, box.items, box.otherItems]).toEqual([
			[A],
			[{ orderId: A, sku: "S", qty: 3 }],
			[{ sku: "T", qty: 3 }],
		]);
	});
});
