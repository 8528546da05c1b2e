import { describe, expect, it } from "vitest";
import { PORTLAND } from "../../../test/model/script-orders.ts";
import type { HoldLine } from "../holds/hold.ts";
import type { Order } from "./order.ts";
import type { BoxedOrder, Contents, OrderRecord, RecordPart, ShipmentRecord } from "./order-record.ts";
import { orderReply } from "./order-reply.ts";
import type { Shipment } from "./shipment.ts";
import { shipmentReply } from "./shipment-reply.ts";

const LINKS = {
	verifyUrl: (batch: string) => `v/${batch}`,
	trackingUrl: (_: unknown, no: string | null) => no && `t/${no}`,
};
const NOON = Date.parse("2026-11-22T12:00:00.123Z");
const AT = "2026-11-22T12:00:00.123Z";

/** 3 kits of 1 F and 2 G each; F is in one lot, G in two lots of one batch. */
const LINE: HoldLine = {
	sku: "DUO",
	brand_code: "ACME",
	qty: 3,
	pools: [2, 0],
	components: [
		{ formula_id: "F", per_kit: 1 },
		{ formula_id: "G", per_kit: 2 },
	],
};
const part = (formulaId: string, fgId: string, units: number, state: RecordPart["state"]): RecordPart => ({
	line: 0,
	formulaId,
	fgId,
	units,
	state,
	batchNumber: fgId.slice(0, 2),
});
const ALL: Contents = {
	lines: [LINE],
	parts: [part("F", "f1", 3, "allocated"), part("G", "g1-own", 4, "allocated"), part("G", "g1-shared", 2, "allocated")],
};
const PART: Contents = {
	lines: [LINE],
	parts: [
		part("F", "f1", 2, "allocated"),
		part("G", "g1-own", 2, "allocated"),
		part("G", "g1-shared", 2, "allocated"),
		part("F", "f1", 1, "shipped"),
		part("G", "g1-own", 2, "shipped"),
	],
};

const ORDER: Order = {
	orderId: "O",
	keyId: "K",
	partnerId: "P",
	environment: "live",
	ref: "cart",
	externalOrderId: "shop-1",
	reservationToken: "T",
	poolId: 2,
	status: "placed",
	version: 1,
	holdReason: null,
	holdDetail: null,
	cancelReason: null,
	serviceLevel: "standard",
	note: null,
	customer: {
		email: "a@b",
		name: "Ada",
		ship_to: PORTLAND,
	},
	shipmentIds: ["S"],
	placedAt: NOON,
	heldAt: null,
	pickedAt: null,
	pickAgain: false,
	shippedAt: null,
	cancelledAt: null,
	updatedAt: NOON,
	customerErasedAt: null,
};
const BOX: Shipment = {
	shipmentId: "S",
	poolId: 2,
	environment: "live",
	status: "awaiting_shipment",
	orderIds: ["O"],
	carrierCode: null,
	serviceCode: null,
	trackingNumber: null,
	items: null,
	createdAt: NOON,
	labelCreatedAt: null,
	labelVoidedAt: null,
	shippedAt: null,
	shippedBy: null,
	voidedAt: null,
	modifiedAt: NOON,
	version: 1,
};
const boxed = (contents: Contents | null, orderId = "O"): BoxedOrder => ({
	orderId,
	ref: `cart of ${orderId}`,
	externalOrderId: null,
	shipTo: PORTLAND,
	contents,
});
const box = (change: Partial<Shipment>, ...orders: BoxedOrder[]): ShipmentRecord => ({
	shipment: {
		...BOX,
		...change,
	},
	brandCode: "ACME",
	orders,
});
const record = (contents: Contents, change: Partial<Order> = {}, ...shipments: ShipmentRecord[]): OrderRecord => ({
	order: {
		...ORDER,
		...change,
	},
	brandCode: "ACME",
	contents,
	shipments,
});
/** The contents of the box of the part that left. */
const PACKED: Shipment["items"] = [
	{
		order_id: "O",
		line: 0,
		sku: "DUO",
		qty: 1,
		lots: [
			{
				fg_id: "f1",
				formula_id: "F",
				batch_number: "f1",
				units: 1,
			},
			{
				fg_id: "g1-own",
				formula_id: "G",
				batch_number: "g1",
				units: 1,
			},
			{
				fg_id: "g1-shared",
				formula_id: "G",
				batch_number: "g1",
				units: 1,
			},
		],
	},
];

describe("an order's reply", () => {
	it("says what it has and where it lies", () => {
		const reply = orderReply(record(ALL), LINKS);
		expect(reply).toMatchObject({
			order_id: "O",
			ref: "cart",
			external_order_id: "shop-1",
			status: "placed",
			version: 1,
			brand_code: "ACME",
			reservation_token: "T",
			cancellable: true,
			hold_reason: null,
			placed_at: AT,
			picked_at: null,
		});
		expect(reply.items).toEqual([
			{
				sku: "DUO",
				brand_code: "ACME",
				qty: 3,
				shipped_qty: 0,
				components: [
					{
						formula_id: "F",
						per_kit: 1,
						units: 3,
						lots: [
							{
								fg_id: "f1",
								batch_number: "f1",
								units: 3,
							},
						],
					},
					{
						formula_id: "G",
						per_kit: 2,
						units: 6,
						lots: [
							{
								fg_id: "g1-own",
								batch_number: "g1",
								units: 4,
							},
							{
								fg_id: "g1-shared",
								batch_number: "g1",
								units: 2,
							},
						],
					},
				],
			},
		]);
	});

	it("names the customer's fields in one order, and none that was not sent", () => {
		const { customer } = orderReply(record(ALL), LINKS);
		expect(JSON.stringify(customer)).toBe(
			'{"name":"Ada","email":"a@b","ship_to":{"line1":"1 Main Street","city":"Portland","state":"OR","postal_code":"97201","country":"US"}}',
		);
	});

	it("of one that left in part counts whole kits, names each lot once, and is not to be cancelled, held or not", () => {
		for (const status of ["partially_shipped", "held"] as const) {
			const { items, cancellable } = orderReply(record(PART, { status }), LINKS);
			expect([items[0]?.shipped_qty, cancellable]).toEqual([1, false]);
			expect(items[0]?.components.map(({ lots }) => lots.map(({ fg_id, units }) => `${units} ${fg_id}`))).toEqual([
				["3 f1"],
				["4 g1-own", "2 g1-shared"],
			]);
		}
	});

	it("counts no kit of which a component is still here", () => {
		const parts = [
			part("F", "f1", 3, "shipped"),
			part("G", "g1-own", 1, "shipped"),
			part("G", "g1-own", 5, "allocated"),
		];
		expect(orderReply(record({ lines: [LINE], parts }, { status: "held" }), LINKS).items[0]?.shipped_qty).toBe(0);
	});

	it("of one that was cancelled has its lines without lots, and its box, if it was alone in it", () => {
		const gone = { lines: [LINE], parts: [] };
		const change = { status: "cancelled", cancelledAt: NOON, version: 2 } as const;
		const alone = orderReply(record(gone, change, box({ status: "cancelled" }, boxed(gone))), LINKS);
		expect(alone).toMatchObject({ status: "cancelled", cancelled_at: AT, cancellable: false });
		expect(alone.items[0]?.components.map(({ units, lots }) => [units, lots])).toEqual([
			[3, []],
			[6, []],
		]);
		expect(alone.shipments.map(({ status }) => status)).toEqual(["cancelled"]);
		expect(orderReply(record(gone, { ...change, shipmentIds: [] }), LINKS).shipments).toEqual([]);
	});
});

describe("a box's reply", () => {
	it("is to have what its order has left, lots of one batch as one", () => {
		expect(shipmentReply(box({}, boxed(PART)), LINKS)).toMatchObject({
			shipment_id: "S",
			status: "awaiting_shipment",
			combined: false,
			tracking_url: null,
			label_created_at: null,
			items: [
				{
					order_id: "O",
					sku: "DUO",
					qty: 2,
					lots: [
						{
							formula_id: "F",
							batch_number: "f1",
							units: 2,
						},
						{
							formula_id: "G",
							batch_number: "g1",
							units: 4,
						},
					],
				},
			],
			ship_to: {
				city: "Portland",
				state: "OR",
				postal_code: "97201",
				country: "US",
			},
		});
	});

	it("that left has what was packed, whatever its order has by now", () => {
		const change = {
			status: "shipped",
			items: PACKED,
			shippedAt: NOON,
			trackingNumber: "1Z",
			carrierCode: "ups",
		} as const;
		const reply = shipmentReply(box(change, boxed(null)), LINKS);
		expect(reply).toMatchObject({ status: "shipped", shipped_at: AT, tracking_number: "1Z", tracking_url: "t/1Z" });
		expect(reply.items).toEqual([
			{
				order_id: "O",
				sku: "DUO",
				qty: 1,
				lots: [
					{
						formula_id: "F",
						batch_number: "f1",
						units: 1,
					},
					{
						formula_id: "G",
						batch_number: "g1",
						units: 2,
					},
				],
			},
		]);
	});

	it("with several orders names them in their order, goes where the first goes, and tells what is whose", () => {
		const elsewhere = { ...boxed(ALL, "Q"), shipTo: { ...PORTLAND, city: "PORTLAND" } };
		const reply = shipmentReply(box({ orderIds: ["O", "Q"] }, boxed(PART), elsewhere), LINKS);
		expect(reply.combined).toBe(true);
		expect(reply.orders.map(({ order_id, ref }) => [order_id, ref])).toEqual([
			["O", "cart of O"],
			["Q", "cart of Q"],
		]);
		expect(reply.items.map(({ order_id, qty }) => [order_id, qty])).toEqual([
			["O", 2],
			["Q", 3],
		]);
		expect(reply.ship_to.city).toBe("Portland");
	});

	it("of an order of which nothing is left has no items", () => {
		const parts = ALL.parts.map((one): RecordPart => ({ ...one, state: "shipped" }));
		expect(shipmentReply(box({}, boxed({ lines: [LINE], parts })), LINKS).items).toEqual([]);
	});

	it("that was left for another box is empty", () => {
		expect(shipmentReply(box({ status: "cancelled", items: [] }, boxed(null)), LINKS).items).toEqual([]);
	});

	it("says null where there is no state", () => {
		const { state: _, ...abroad } = PORTLAND;
		expect(shipmentReply(box({}, { ...boxed(ALL), shipTo: abroad }), LINKS).ship_to.state).toBeNull();
	});
});
