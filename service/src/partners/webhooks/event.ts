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

/** The facts about the order that both events contain. */
export interface OrderFacts {
	readonly order_id: string;
	readonly ref: string;
	readonly external_order_id: string | null;
	readonly order_status: string;
	readonly order_version: number;
}

/** One shipment of one order; an order may have several shipments, and a shipment several orders. */
export interface OrderShipped extends OrderFacts {
	/** The order has nothing left to ship. */
	readonly final: boolean;
	readonly shipment: {
		readonly shipment_id: string;
		readonly carrier_code: string | null;
		readonly service_code: string | null;
		readonly tracking_number: string | null;
		readonly tracking_url: string | null;
		readonly shipped_at: string;
		/** Items of this order. `qty` counts kits. */
		readonly items: readonly {
			readonly sku: string;
			readonly qty: number;
			readonly lots: readonly { readonly batch_number: string; readonly units: number; readonly verify_url: string }[];
		}[];
		/** All orders in the same box, including this one; empty if it is alone. */
		readonly combined_order_ids: readonly string[];
	};
}

/** An order is on hold. */
export interface OrderHeld extends OrderFacts {
	readonly reason: HoldReason;
	readonly detail: string | null;
	/** Who can release it. */
	readonly action: "partner" | "manufacturer";
}

/** Requested by the partner, to check an endpoint. */
interface WebhookTest {
	readonly endpoint_id: string;
}

interface EventDataByType {
	readonly "order.shipped": OrderShipped;
	readonly "order.held": OrderHeld;
	readonly "webhook.test": WebhookTest;
}
/** Types of events about an order. */
type OrderEventType = Exclude<EventType, "webhook.test">;
export type EventType = keyof EventDataByType;

interface Addressee {
	readonly partnerId: string;
	readonly environment: Environment;
}

export interface PartnerEvent extends Addressee {
	/** `evt_…`; for an order, derived from its id and version, so that one change never has two events. */
	readonly eventId: string;
	readonly type: EventType;
	/** Null if it is not about an order. */
	readonly orderId: string | null;
	/** The exact text that is signed and sent (settlements, section 9). */
	readonly body: string;
}

/** An event of an order, identified by the order's version. `now`: epoch milliseconds, database clock. */
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

/** An event requested for one endpoint. `id`: a new id. */
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
