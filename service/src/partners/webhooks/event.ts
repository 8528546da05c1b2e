import { CURRENT_API_DATE, type Environment } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";

/** Why an order stands still (settlements, section 9). */
export const HOLD_REASONS = [
	"address_invalid",
	"out_of_stock",
	"lot_recalled",
	"label_error",
	"operator",
	"other",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What both events say of the order that they are about. */
export interface OrderFacts {
	readonly order_id: string;
	readonly ref: string;
	readonly external_order_id: string | null;
	readonly order_status: string;
	readonly order_version: number;
}

/** One shipment of one order; an order may have several, and a shipment several orders. */
export interface OrderShipped extends OrderFacts {
	/** Nothing of the order is left to be shipped. */
	readonly final: boolean;
	readonly shipment: {
		readonly shipment_id: string;
		readonly carrier_code: string | null;
		readonly service_code: string | null;
		readonly tracking_number: string | null;
		readonly tracking_url: string | null;
		readonly shipped_at: string;
		/** Of this order. `qty` counts kits. */
		readonly items: readonly {
			readonly sku: string;
			readonly qty: number;
			readonly lots: readonly { readonly batch_number: string; readonly units: number; readonly verify_url: string }[];
		}[];
		/** The orders in the same box, this one included; empty when it is alone. */
		readonly combined_order_ids: readonly string[];
	};
}

/** An order stands still. */
export interface OrderHeld extends OrderFacts {
	readonly reason: HoldReason;
	readonly detail: string | null;
	/** Who can end it. */
	readonly action: "partner" | "manufacturer";
}

/** Asked for, to see that an endpoint works. */
interface WebhookTest {
	readonly endpoint_id: string;
}

interface EventDataByType {
	readonly "order.shipped": OrderShipped;
	readonly "order.held": OrderHeld;
	readonly "webhook.test": WebhookTest;
}
/** The types of events that are about an order. */
type OrderEventType = Exclude<EventType, "webhook.test">;
export type EventType = keyof EventDataByType;

/** Whom an event is for. */
interface Addressee {
	readonly partnerId: string;
	readonly environment: Environment;
}

/** What a partner is told, once. */
export interface PartnerEvent extends Addressee {
	/** `evt_…`; of an order it follows from the order and its version, so that the same change is never told twice. */
	readonly eventId: string;
	readonly type: EventType;
	/** Null: it is about none. */
	readonly orderId: string | null;
	/** The exact text that is signed and sent (settlements, section 9). */
	readonly body: string;
}

/**
 * An event of an order. Each changes the order's version, so the version names it. `now`: epoch milliseconds, database
 * clock.
 */
export function eventOf<T extends OrderEventType>(
	type: T,
	{ partnerId, environment }: Addressee,
	data: EventDataByType[T],
	now: number,
): PartnerEvent {
	const eventId = `evt_${data.order_id.replaceAll("-", "")}${String(data.order_version).padStart(4, "0")}`;
	const body = bodyOf(type, environment, data, now);
	return { eventId, type, partnerId, environment, orderId: data.order_id, body };
}

/** An event for one endpoint that asked for it. `id`: a new one. */
export function testEvent(
	{ partnerId, environment }: Addressee,
	endpointId: string,
	id: string,
	now: number,
): PartnerEvent {
	const type = "webhook.test";
	const eventId = `evt_${id.replaceAll("-", "")}`;
	const body = bodyOf(type, environment, { endpoint_id: endpointId }, now);
	return { eventId, type, partnerId, environment, orderId: null, body };
}

const bodyOf = <T extends EventType>(
	type: T,
	environment: Environment,
	data: EventDataByType[T],
	now: number,
): string => JSON.stringify({ type, timestamp: toRfc3339(now), version: CURRENT_API_DATE, environment, data });
