import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OrderHeldEvent, UnknownEvent, WebhookEvent } from "./event.ts";
import { readEvent } from "./read-event.ts";

const TIME = "2026-09-06T12:00:00.000Z";
const DATE = new Date(TIME);
const ORDER_ID = "0199f0a0-0000-7000-8000-000000000e01";
const SHIPMENT_ID = "0199f0a0-0000-7000-8000-000000000501";

const sent = (type: string, data: object) => ({
	type,
	timestamp: TIME,
	version: "2026-09-06",
	environment: "live",
	data,
});
const ENVELOPE = { id: "evt_1", timestamp: DATE, version: "2026-09-06", environment: "live" } as const;

const SENT_ORDER = {
	order_id: ORDER_ID,
	ref: "cart-1234",
	external_order_id: null,
	order_status: "placed",
	order_version: 2,
};
const ORDER = {
	orderId: ORDER_ID,
	ref: "cart-1234",
	externalOrderId: null,
	orderStatus: "placed",
	orderVersion: 2,
} as const;
const SENT_SHIPMENT = {
	shipment_id: SHIPMENT_ID,
	carrier_code: "ups",
	service_code: "ups_ground",
	tracking_number: "1Z2",
	tracking_url: "https://www.ups.com/track?tracknum=1Z2",
	combined_order_ids: [ORDER_ID],
};
const SHIPMENT = {
	shipmentId: SHIPMENT_ID,
	carrierCode: "ups",
	serviceCode: "ups_ground",
	trackingNumber: "1Z2",
	trackingUrl: "https://www.ups.com/track?tracknum=1Z2",
	combinedOrderIds: [ORDER_ID],
};
const VERIFY_URL = "https://coa.example.com/coa/lookup?lot=C-2611";

/** For each type, what is sent and what the handler gets; the type checker compares the latter with the types. */
const EVENTS: readonly (readonly [sent: ReturnType<typeof sent>, got: WebhookEvent])[] = [
	[
		sent("order.shipped", {
			...SENT_ORDER,
			final: true,
			shipment: {
				...SENT_SHIPMENT,
				shipped_at: TIME,
				items: [{ sku: "SERUM-30", qty: 2, lots: [{ batch_number: "C-2611", units: 2, verify_url: VERIFY_URL }] }],
			},
		}),
		{
			...ENVELOPE,
			type: "order.shipped",
			data: {
				...ORDER,
				final: true,
				shipment: {
					...SHIPMENT,
					shippedAt: DATE,
					items: [{ sku: "SERUM-30", qty: 2, lots: [{ batchNumber: "C-2611", units: 2, verifyUrl: VERIFY_URL }] }],
				},
			},
		},
	],
	[
		sent("order.held", { ...SENT_ORDER, reason: "operator", detail: TIME, action: "partner" }),
		{
			...ENVELOPE,
			type: "order.held",
			data: { ...ORDER, reason: "operator", detail: TIME, action: "partner" },
		},
	],
	[
		sent("order.cancelled", { ...SENT_ORDER, by: "manufacturer", detail: null }),
		{ ...ENVELOPE, type: "order.cancelled", data: { ...ORDER, by: "manufacturer", detail: null } },
	],
	[sent("order.released", SENT_ORDER), { ...ENVELOPE, type: "order.released", data: ORDER }],
	[
		sent("shipment.voided", { ...SENT_ORDER, shipment: { ...SENT_SHIPMENT, voided_at: TIME } }),
		{ ...ENVELOPE, type: "shipment.voided", data: { ...ORDER, shipment: { ...SHIPMENT, voidedAt: DATE } } },
	],
	[
		sent("shipment.label_created", { ...SENT_ORDER, shipment: { ...SENT_SHIPMENT, label_created_at: TIME } }),
		{
			...ENVELOPE,
			type: "shipment.label_created",
			data: { ...ORDER, shipment: { ...SHIPMENT, labelCreatedAt: DATE } },
		},
	],
	[
		sent("hold.impaired", {
			reservation_token: ORDER_ID,
			external_ref: "cart-1234",
			expires_at: TIME,
			items: [{ sku: "SERUM-30", brand_code: null, requested_qty: 3, reserved_qty: 1 }],
		}),
		{
			...ENVELOPE,
			type: "hold.impaired",
			data: {
				reservationToken: ORDER_ID,
				externalRef: "cart-1234",
				expiresAt: DATE,
				items: [{ sku: "SERUM-30", brandCode: null, requestedQty: 3, reservedQty: 1 }],
			},
		},
	],
	[
		sent("certificate.retired", {
			product: { slug: "glow-serum", name: "Glow Serum" },
			batch_number: "C-2611",
			verify_url: VERIFY_URL,
		}),
		{
			...ENVELOPE,
			type: "certificate.retired",
			data: {
				product: { slug: "glow-serum", name: "Glow Serum" },
				batchNumber: "C-2611",
				verifyUrl: VERIFY_URL,
			},
		},
	],
	[
		sent("webhook.test", { endpoint_id: ORDER_ID }),
		{ ...ENVELOPE, type: "webhook.test", data: { endpointId: ORDER_ID } },
	],
];

describe("An event", () => {
	it.each(EVENTS.map(([sent, got]) => [sent.type, sent, got] as const))(
		"%s has camelCase names, and times as Date",
		(_type, sent, got) => {
			expect(readEvent("evt_1", JSON.stringify(sent))).toEqual(got);
		},
	);

	it("of a later type, or with later fields, is read in the same way", () => {
		const body = {
			type: "pallet.lost",
			made_at: TIME,
			data: { seen_at: null, looked_at: "the dock", lot_2_units: [{ at_dock: 1 }] },
		};
		expect(readEvent("evt_1", JSON.stringify(body))).toEqual({
			id: "evt_1",
			type: "pallet.lost",
			madeAt: DATE,
			data: { seenAt: null, lookedAt: "the dock", lot2Units: [{ atDock: 1 }] },
		});
	});

	it("cannot set its own id or the prototype of what the handler gets", () => {
		const event = readEvent("evt_1", '{"type":"x","data":{"__proto__":{"final":true}},"id":"evt_2"}');
		expect(event.id).toBe("evt_1");
		expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
		expect((event.data as { final?: boolean }).final).toBeUndefined();
	});
});

interface Schema {
	readonly $ref?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema;
	readonly const?: string;
	readonly enum?: readonly string[];
}
interface Document {
	readonly webhooks: Record<string, { post: { requestBody: { content: { "application/json": { schema: Schema } } } } }>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

describe("The service's document", () => {
	const text = readFileSync(new URL("../../../openapi/partner/2026-09-06.json", import.meta.url), "utf8");
	const document = JSON.parse(text) as Document;
	const webhooks = Object.entries(document.webhooks);

	/** Paths of all fields, with those of arrays' items. */
	function namesOf(schema: Schema, path = ""): string[] {
		const { $ref } = schema;
		if ($ref !== undefined) {
			return namesOf(document.components.schemas[$ref.replace("#/components/schemas/", "")] ?? {}, path);
		}
		if (schema.items) return namesOf(schema.items, path);
		return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [
			`${path}/${name}`,
			...namesOf(of, `${path}/${name}`),
		]);
	}

	function namesIn(value: unknown, path = ""): string[] {
		if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, path));
		if (typeof value !== "object" || value === null) return [];
		return Object.entries(value).flatMap(([name, of]) => [`${path}/${name}`, ...namesIn(of, `${path}/${name}`)]);
	}

	it("has webhooks", () => {
		expect(webhooks.map(([type]) => type)).toEqual(
			expect.arrayContaining(["order.shipped", "order.held", "webhook.test"]),
		);
	});

	it.each(webhooks)("%s has the fields that are typed, and no other", (type, { post }) => {
		const [sent] = EVENTS.find(([sent]) => sent.type === type) ?? [];
		const { schema } = post.requestBody.content["application/json"];
		expect(namesIn(sent).toSorted()).toEqual(namesOf(schema).toSorted());
	});
});

describe("The types", () => {
	/** Compiles only while `type` tells the events apart. */
	function told(event: WebhookEvent): string {
		switch (event.type) {
			case "order.shipped":
				return event.data.shipment.shippedAt.toISOString();
			case "order.held":
				return event.data.action;
			// @ts-expect-error no event has this type: it is misspelt
			case "order.canceled":
				return "";
			case "certificate.retired":
				return event.data.product.slug;
			default:
				return `${event.type}: ${typeof event.data}`;
		}
	}

	// @ts-expect-error a later type reaches none of the branches
	function withoutDefault(event: OrderHeldEvent | UnknownEvent): string {
		switch (event.type) {
			case "order.held":
				return event.data.action;
		}
	}

	it("tell events apart, and ask for a default branch", () => {
		const words = EVENTS.map(([, got]) => told(got));
		expect(words.slice(0, 3)).toEqual([TIME, "partner", "order.cancelled: object"]);
		const later = readEvent("evt_1", '{"type":"pallet.lost","data":{}}');
		expect(told(later)).toBe("pallet.lost: object");
		expect(withoutDefault(later as UnknownEvent)).toBeUndefined();
	});
});
