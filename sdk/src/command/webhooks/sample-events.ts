import { toWire } from "../../client/camel.ts";
import type { EventOrder, EventShipment, UnknownEvent, WebhookEvent } from "../../webhooks/event.ts";
import { API_DATE } from "../../wire/__generated__/codes.ts";

type KnownEvent = Exclude<WebhookEvent, UnknownEvent>;
export type EventType = KnownEvent["type"];
type DataOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>["data"];

const ORDER: EventOrder = {
	orderId: "0199f0a0-0000-7000-8000-000000000e01",
	ref: "cart-1001",
	externalOrderId: null,
	orderStatus: "placed",
	orderVersion: 2,
};
const SHIPMENT: EventShipment = {
	shipmentId: "0199f0a0-0000-7000-8000-000000000501",
	carrierCode: "ups",
	serviceCode: null,
	trackingNumber: "1Z999AA10123456784",
	trackingUrl: "https://www.ups.com/track?tracknum=1Z999AA10123456784",
	combinedOrderIds: [],
};
const VERIFY_URL = "https://coa.example.com/coa/lookup?lot=SANDBOX";
const PRODUCT = { slug: "sbx-plenty", name: "SBX-PLENTY" };
const LOTS = [{ batchNumber: "SANDBOX", units: 2, verifyUrl: VERIFY_URL }];

/** Sample data for an event of each type, at a given time. The order, the hold and the certificate do not exist. */
const SAMPLES: { readonly [Type in EventType]: (at: Date) => DataOf<Type> } = {
	"order.shipped": (shippedAt) => ({
		...ORDER,
		orderStatus: "shipped",
		orderVersion: 3,
		final: true,
		shipment: { ...SHIPMENT, shippedAt, items: [{ sku: "SBX-PLENTY", qty: 2, lots: LOTS }] },
	}),
	"order.held": () => ({
		...ORDER,
		orderStatus: "held",
		reason: "address_invalid",
		detail: "the street is not known",
		action: "partner",
	}),
	"order.cancelled": () => ({ ...ORDER, orderStatus: "cancelled", by: "manufacturer", detail: "out of stock" }),
	"order.released": () => ({ ...ORDER, orderVersion: 3 }),
	"shipment.voided": (voidedAt) => ({ ...ORDER, orderVersion: 4, shipment: { ...SHIPMENT, voidedAt } }),
	"shipment.label_created": (labelCreatedAt) => ({
		...ORDER,
		orderStatus: "picked",
		shipment: { ...SHIPMENT, labelCreatedAt },
	}),
	"hold.impaired": (expiresAt) => ({
		reservationToken: "0199f0a0-0000-7000-8000-000000000a01",
		externalRef: "cart-1001",
		expiresAt,
		items: [{ sku: "SBX-PLENTY", brandCode: "SANDBOX", requestedQty: 2, reservedQty: 1 }],
	}),
	"certificate.retired": () => ({ product: PRODUCT, batchNumber: "SANDBOX", verifyUrl: VERIFY_URL }),
	"webhook.test": () => ({ endpointId: "0199f0a0-0000-7000-8000-000000000d01" }),
};

export const EVENT_TYPES = Object.keys(SAMPLES) as EventType[];

/** The body of an event as the service would send it. */
export function sampleBody(type: EventType, at: Date): string {
	const event = { type, timestamp: at, version: API_DATE, environment: "sandbox", data: SAMPLES[type](at) };
	return JSON.stringify(toWire(event));
}
