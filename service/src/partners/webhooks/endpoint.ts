import type { Static } from "typebox";
import type { Environment } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Endpoint as EndpointSchema } from "./contract.ts";
import type { EventType } from "./event.ts";

/** The event types that an endpoint can choose (settlements, sections 9 and 13). */
export const CHOSEN_EVENT_TYPES = [
	"order.shipped",
	"order.held",
	"order.cancelled",
	"order.released",
	"shipment.label_created",
	"shipment.voided",
	"hold.impaired",
	"certificate.retired",
] as const satisfies readonly EventType[];
export type ChosenEventType = (typeof CHOSEN_EVENT_TYPES)[number];

/** The types of an endpoint that chooses none: the contract's two. */
export const DEFAULT_EVENT_TYPES = ["order.shipped", "order.held"] as const satisfies readonly ChosenEventType[];

/** Types on which `verify` and the history of an order rely: their events are recorded even if nobody chose them. */
export const ALWAYS_RECORDED = [...DEFAULT_EVENT_TYPES, "webhook.test"] as const satisfies readonly EventType[];

/** Why an endpoint is inactive: its partner or the operator set it so, it answered 410, or it failed for too long. */
export const INACTIVE_REASONS = ["partner", "operator", "gone", "failing"] as const;
export type InactiveReason = (typeof INACTIVE_REASONS)[number];

/** The owner of endpoints: a partner in one environment (settlements, section 9). */
export interface EndpointOwner {
	readonly partnerId: string;
	readonly environment: Environment;
}

export interface Endpoint extends EndpointOwner {
	readonly endpointId: string;
	readonly url: string;
	readonly eventTypes: readonly ChosenEventType[];
	readonly description: string | null;
	readonly inactiveReason: InactiveReason | null;
	/** The API date of the bodies sent to it. */
	readonly apiDate: string;
	/** Its position in the list. */
	readonly version: number;
	/** Epoch milliseconds; null: its last attempt succeeded, or there was none. */
	readonly failingSince: number | null;
	readonly createdAt: number;
	readonly updatedAt: number;
}

export type EndpointReply = Static<typeof EndpointSchema>;

/** An endpoint as its partner sees it; its `version` is the API date of its event bodies. */
export const endpointReply = (endpoint: Endpoint): EndpointReply => ({
	endpoint_id: endpoint.endpointId,
	url: endpoint.url,
	event_types: [...endpoint.eventTypes],
	description: endpoint.description,
	status: endpoint.inactiveReason === null ? "active" : "inactive",
	inactive_reason: endpoint.inactiveReason,
	version: endpoint.apiDate,
	created_at: toRfc3339(endpoint.createdAt),
	updated_at: toRfc3339(endpoint.updatedAt),
});

/** Each type once, in the order of the contract. */
export const orderedTypes = (types: readonly ChosenEventType[]): ChosenEventType[] =>
	CHOSEN_EVENT_TYPES.filter((type) => types.includes(type));
