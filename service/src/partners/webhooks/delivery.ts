import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import type { EventType } from "./event.ts";

/** `exhausted`: every attempt failed. `dropped`: its endpoint became inactive, or was deleted. */
export const DELIVERY_STATUSES = ["pending", "delivered", "exhausted", "dropped"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt, as stored with its delivery. */
export interface KeptAttempt {
	/** RFC 3339. */
	readonly at: string;
	readonly duration_ms: number;
	/** HTTP; null: there was no answer. */
	readonly status: number | null;
	readonly error: string | null;
	readonly response_excerpt: string | null;
}

/** One event for one endpoint. */
export interface Delivery {
	readonly deliveryId: string;
	readonly eventId: string;
	readonly type: EventType;
	readonly status: DeliveryStatus;
	readonly attempts: readonly KeptAttempt[];
	/** Epoch milliseconds; null: no further attempt. */
	readonly nextAttemptAt: number | null;
}

/** A delivery as its partner sees it. */
export const deliveryReply = (delivery: Delivery) => ({
	delivery_id: delivery.deliveryId,
	event_id: delivery.eventId,
	type: delivery.type,
	status: delivery.status,
	attempts: delivery.attempts.map((one) => ({ ...one, at: toRfc3339(Date.parse(one.at)) })),
	next_attempt_at: rfc3339OrNull(delivery.nextAttemptAt),
});
