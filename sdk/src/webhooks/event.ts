import type { UnknownWord } from "../wire/given.ts";

/** The envelope of every event (contract decisions, section 9). */
interface Envelope<Type extends string, Data> {
	/** `evt_…`, the `webhook-id`: the same on every attempt. `once` remembers it. */
	readonly id: string;
	readonly type: Type;
	/** When it happened. */
	readonly timestamp: Date;
	/** The API date of the body, `YYYY-MM-DD`. */
	readonly version: string;
	readonly environment: "live" | "sandbox";
	readonly data: Data;
}

export type OrderStatus = "placed" | "held" | "picked" | "partially_shipped" | "shipped" | "cancelled";
export type HoldReason = "address_invalid" | "out_of_stock" | "lot_recalled" | "label_error" | "operator" | "other";

/** The order that an event is about. */
export interface EventOrder {
	readonly orderId: string;
	/** The Idempotency-Key that the order was placed under. */
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** After the change. */
	readonly orderStatus: OrderStatus | UnknownWord;
	/** Of two events of one order, the one with the higher number is newer. They may arrive in the other order. */
	readonly orderVersion: number;
}

/** The parcel that an event is about. */
export interface EventShipment {
	readonly shipmentId: string;
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
	readonly trackingNumber: string | null;
	/** The carrier's tracking page; null: the carrier has none that is known. */
	readonly trackingUrl: string | null;
	/** The orders in the same parcel, this one included; empty when it is alone. */
	readonly combinedOrderIds: readonly string[];
}

/** What a shipment contains of one SKU of the order. */
export interface ShippedItem {
	readonly sku: string;
	/** Kits. */
	readonly qty: number;
	readonly lots: readonly {
		/** As on the label. */
		readonly batchNumber: string;
		readonly units: number;
		/** The page on which a buyer can check the lot. */
		readonly verifyUrl: string;
	}[];
}

/** A shipment of an order left: one event for each shipment and order. */
export type OrderShippedEvent = Envelope<
	"order.shipped",
	EventOrder & {
		/** Nothing of the order is left to be shipped. */
		readonly final: boolean;
		readonly shipment: EventShipment & { readonly shippedAt: Date; readonly items: readonly ShippedItem[] };
	}
>;

/** An order was put on hold. */
export type OrderHeldEvent = Envelope<
	"order.held",
	EventOrder & {
		readonly reason: HoldReason | UnknownWord;
		/** More about the reason, in words. */
		readonly detail: string | null;
		/** Who can solve the problem. */
		readonly action: "partner" | "manufacturer";
	}
>;

/** A test of the endpoint was requested. */
export type WebhookTestEvent = Envelope<"webhook.test", { readonly endpointId: string }>;

/** An order was cancelled. */
export type OrderCancelledEvent = Envelope<
	"order.cancelled",
	EventOrder & {
		/** Who cancelled it. */
		readonly by: "partner" | "manufacturer";
		/** The reason, in words. */
		readonly detail: string | null;
	}
>;

/** An order is no longer on hold. */
export type OrderReleasedEvent = Envelope<"order.released", EventOrder>;

/** A shipment never left, or its label was voided: its tracking number is void. */
export type ShipmentVoidedEvent = Envelope<
	"shipment.voided",
	EventOrder & { readonly shipment: EventShipment & { readonly voidedAt: Date } }
>;

/** A parcel has a label, and has not left yet. */
export type ShipmentLabelCreatedEvent = Envelope<
	"shipment.label_created",
	EventOrder & { readonly shipment: EventShipment & { readonly labelCreatedAt: Date } }
>;

/** A hold lost units to a recall or an expiry date: do not charge for what it no longer has. */
export type HoldImpairedEvent = Envelope<
	"hold.impaired",
	{
		readonly reservationToken: string;
		/** Of the reserve. */
		readonly externalRef: string | null;
		readonly expiresAt: Date;
		readonly items: readonly {
			readonly sku: string;
			readonly brandCode: string | null;
			/** Kits that were reserved. */
			readonly requestedQty: number;
			/** Kits that are still whole. */
			readonly reservedQty: number;
		}[];
	}
>;

/** A certificate was withdrawn: take it down. */
export type CertificateRetiredEvent = Envelope<
	"certificate.retired",
	{
		readonly product: { readonly slug: string; readonly name: string };
		readonly batchNumber: string;
		/** The page on which a buyer can check the lot. */
		readonly verifyUrl: string;
	}
>;

/** An event of a type that is newer than this package: the `default` branch of a `switch` over `event.type`. */
export type UnknownEvent = Envelope<UnknownWord, Readonly<Record<string, unknown>>>;

/** An event that an endpoint can be sent (contract decisions, sections 9 and 13); `type` tells them apart. */
export type WebhookEvent =
	| OrderShippedEvent
	| OrderHeldEvent
	| OrderCancelledEvent
	| OrderReleasedEvent
	| ShipmentVoidedEvent
	| ShipmentLabelCreatedEvent
	| HoldImpairedEvent
	| CertificateRetiredEvent
	| WebhookTestEvent
	| UnknownEvent;
