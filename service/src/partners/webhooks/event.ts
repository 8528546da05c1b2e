import { CURRENT_API_DATE, type Environment } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";

/** Why an order is on hold (settlements, section 9). */
export const HOLD_REASONS = [
	"address_invalid",
	"out_of_stock",
	"lot_recalled",
	"label_error",
	"operator",
	"other",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Somebody who acts for an order. */
export type Party = "partner" | "manufacturer";

/** The facts about the order that every event about an order or its shipments contains. */
export interface OrderFacts {
	readonly order_id: string;
	readonly ref: string;
	readonly external_order_id: string | null;
	readonly order_status: string;
	readonly order_version: number;
}

export interface ShipmentFacts {
	readonly shipment_id: string;
	readonly carrier_code: string | null;
	readonly service_code: string | null;
	readonly tracking_number: string | null;
	readonly tracking_url: string | null;
	/** All orders in the same box, including this one; empty if it is alone. */
	readonly combined_order_ids: readonly string[];
}

/** One shipment of one order; an order may have several shipments, and a shipment several orders. */
export interface OrderShipped extends OrderFacts {
	/** The order has nothing left to ship. */
	readonly final: boolean;
	readonly shipment: ShipmentFacts & {
		readonly shipped_at: string;
		/** Items of this order. `qty` counts kits. */
		readonly items: readonly {
			readonly sku: string;
			readonly qty: number;
			readonly lots: readonly { readonly batch_number: string; readonly units: number; readonly verify_url: string }[];
		}[];
	};
}

/** An order is on hold. */
export interface OrderHeld extends OrderFacts {
	readonly reason: HoldReason;
	readonly detail: string | null;
	/** Who can release it. */
	readonly action: Party;
}

export interface OrderCancelled extends OrderFacts {
	readonly by: Party;
	/** The reason that was given, in words. */
	readonly detail: string | null;
}

/** A parcel that never left, or whose label was voided. The facts are those of the label that no longer counts. */
export interface ShipmentVoided extends OrderFacts {
	readonly shipment: ShipmentFacts & { readonly voided_at: string };
}

/** A parcel has a label and has not left yet. */
export interface ShipmentLabelCreated extends OrderFacts {
	readonly shipment: ShipmentFacts & { readonly label_created_at: string };
}

/** An active hold lost units that were not replaced. */
export interface HoldImpaired {
	readonly reservation_token: string;
	/** Of the reserve. */
	readonly external_ref: string | null;
	readonly expires_at: string;
	/** All lines of the hold. Quantities count kits: those that were reserved, and those that are still whole. */
	readonly items: readonly {
		readonly sku: string;
		readonly brand_code: string | null;
		readonly requested_qty: number;
		readonly reserved_qty: number;
	}[];
}

/** A published certificate was withdrawn for good. */
export interface CertificateRetired {
	readonly product: { readonly slug: string; readonly name: string };
	readonly batch_number: string;
	readonly verify_url: string;
}

/** Requested by the partner, to check an endpoint. */
interface WebhookTest {
	readonly endpoint_id: string;
}

interface EventDataByType {
	readonly "order.shipped": OrderShipped;
	readonly "order.held": OrderHeld;
	readonly "order.cancelled": OrderCancelled;
	/** Its order was on hold before. */
	readonly "order.released": OrderFacts;
	readonly "shipment.label_created": ShipmentLabelCreated;
	readonly "shipment.voided": ShipmentVoided;
	readonly "hold.impaired": HoldImpaired;
	readonly "certificate.retired": CertificateRetired;
	readonly "webhook.test": WebhookTest;
}
export type EventType = keyof EventDataByType;
/** Types of events about an order, which then has a new version. */
type OrderEventType = Extract<EventType, `order.${string}`>;
/** Types of events about a box, one for each order in it. The box has a new version, and the order may have one. */
type ShipmentEventType = Extract<EventType, `shipment.${string}`>;

interface Addressee {
	readonly partnerId: string;
	readonly environment: Environment;
}

export interface PartnerEvent extends Addressee {
	/** `evt_…`; derived from what changed and its version, so that one change never has two events. */
	readonly eventId: string;
	readonly type: EventType;
	/** Null if it is not about an order. */
	readonly orderId: string | null;
	/** The exact text that is signed and sent (settlements, section 9). */
	readonly body: string;
}

const hex = (id: string): string => id.replaceAll("-", "");
const padded = (count: number, digits: number): string => String(count).padStart(digits, "0");

/** An event of an order, identified by the order's version. `now`: epoch milliseconds, database clock. */
export function eventOf<T extends OrderEventType>(
	type: T,
	to: Addressee,
	data: EventDataByType[T],
	now: number,
): PartnerEvent {
	const eventId = `evt_${hex(data.order_id)}${padded(data.order_version, 4)}`;
	return made(type, to, data, { eventId, orderId: data.order_id, now });
}

/**
 * An event of a box for one of its orders. A label changes the version of the box alone, so the event is identified by
 * that version and by the order's place in the box, which has at most two digits.
 */
export function shipmentEvent<T extends ShipmentEventType>(
	type: T,
	to: Addressee,
	data: EventDataByType[T],
	{ version, place }: { readonly version: number; readonly place: number },
	now: number,
): PartnerEvent {
	const eventId = `evt_${hex(data.shipment.shipment_id)}${padded(version, 4)}${padded(place, 2)}`;
	return made(type, to, data, { eventId, orderId: data.order_id, now });
}

/**
 * An event of a hold. Holds have no versions: it is identified by the number of parts that the hold has lost, which
 * only grows, and by its time, because a restore of a backup may undo losses that were reported.
 */
export function impairedEvent(to: Addressee, data: HoldImpaired, lostParts: number, now: number): PartnerEvent {
	const eventId = `evt_${hex(data.reservation_token)}${padded(lostParts, 4)}${padded(now, 13)}`;
	return made("hold.impaired", to, data, { eventId, orderId: null, now });
}

/** An event requested for one endpoint. `id`: a new id. */
export const testEvent = (to: Addressee, endpointId: string, id: string, now: number): PartnerEvent =>
	made("webhook.test", to, { endpoint_id: endpointId }, { eventId: `evt_${hex(id)}`, orderId: null, now });

function made<T extends EventType>(
	type: T,
	{ partnerId, environment }: Addressee,
	data: EventDataByType[T],
	{ eventId, orderId, now }: Pick<PartnerEvent, "eventId" | "orderId"> & { readonly now: number },
): PartnerEvent {
	const body = envelopeOf(type, environment, data, toRfc3339(now));
	return { eventId, type, partnerId, environment, orderId, body };
}

/** The text of a body (settlements, section 9). `timestamp`: when it happened. */
export const envelopeOf = <T extends EventType>(
	type: T,
	environment: string,
	data: EventDataByType[T],
	timestamp: string,
): string => JSON.stringify({ type, timestamp, version: CURRENT_API_DATE, environment, data });
