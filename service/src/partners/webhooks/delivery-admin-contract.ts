import Type from "typebox";
import { adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, Text } from "../http/text.ts";
import { words } from "./contract.ts";
import { DELIVERY_STATUSES } from "./delivery.ts";
import { CHOSEN_EVENT_TYPES } from "./endpoint.ts";
import { Environment } from "./endpoint-admin-contract.ts";
import { NO_DELIVERY } from "./recover.ts";
import { INACTIVE } from "./send-test.ts";

const EventId = () => Type.String({ description: "The event: `evt_…`." });
const EventType = () => words([...CHOSEN_EVENT_TYPES, "webhook.test"] as const, "The type of the event.");
const PartnerName = () => Type.String({ description: "The name of the partner." });

const OperatorAttempt = ReplyObject("OperatorAttempt", {
	at: Instant("When it began."),
	duration_ms: Type.Integer({ minimum: 0, description: "How long it took." }),
	status: OrNull(Type.Integer({ description: "The HTTP status; null: there was no answer." })),
	error: OrNull(Type.String({ description: "Why there was no answer." })),
	response_excerpt: OrNull(Type.String({ description: "The beginning of the answer." })),
});
const OperatorDelivery = ReplyObject("OperatorDelivery", {
	delivery_id: Id("The id of the delivery."),
	endpoint_id: Id("The endpoint."),
	partner: PartnerName(),
	environment: Environment("The environment of the endpoint."),
	event_id: EventId(),
	type: EventType(),
	status: words(
		DELIVERY_STATUSES,
		"`exhausted`: every attempt failed. `dropped`: the endpoint became inactive, or was deleted.",
	),
	attempts: Type.Array(OperatorAttempt, { description: "Oldest first; at most the last 50." }),
	next_attempt_at: OrNull(Instant("Null: there is no further attempt.")),
	created_at: Instant("When it was recorded."),
});
const DELIVERY_EXAMPLE = {
	delivery_id: "0199f0a0-0000-7000-8000-0000000000f1",
	endpoint_id: "0199f0a0-0000-7000-8000-0000000000d1",
	partner: "North Web Shop",
	environment: "live" as const,
	event_id: "evt_0199f0a0000070008000000000000e010002",
	type: "order.shipped" as const,
	status: "delivered" as const,
	attempts: [{ at: "2026-09-06T12:00:00.000Z", duration_ms: 84, status: 200, error: null, response_excerpt: "ok" }],
	next_attempt_at: null,
	created_at: "2026-09-06T12:00:00.000Z",
};

export const ListDeliveries = adminOperation({
	id: "list_deliveries",
	method: "GET",
	path: "/admin/api/v1/deliveries",
	summary: "List deliveries",
	description: "One event for one endpoint each, with its attempts; the newest event first.",
	query: pageQuery({
		endpoint_id: Type.Optional(GivenId("Only to this endpoint.")),
		event_id: Type.Optional(Text({ min: 1, max: 64, description: "Only of this event." })),
		status: Type.Optional(words(DELIVERY_STATUSES, "Only deliveries of this status.")),
	}),
	replies: { 200: pageOf(OperatorDelivery, "OperatorDeliveries") },
	examples: { replies: { 200: { items: [DELIVERY_EXAMPLE], next_cursor: null } } },
});

export const ResendDelivery = adminWrite({
	id: "resend_delivery",
	method: "POST",
	path: "/admin/api/v1/deliveries/:id/resend",
	summary: "Send a delivery again",
	description: "Whatever its status; its attempts start again from the first.",
	params: Type.Object({ id: GivenId("The `delivery_id`.") }),
	replies: { 200: ReplyObject("ResentDelivery", { endpoint_id: Id("The endpoint that it is sent to.") }) },
	examples: {
		params: { id: DELIVERY_EXAMPLE.delivery_id },
		replies: { 200: { endpoint_id: DELIVERY_EXAMPLE.endpoint_id } },
		errors: {
			not_found: NO_DELIVERY.message,
			not_possible_now: INACTIVE.message,
		},
	},
});

const OperatorEvent = ReplyObject("OperatorEvent", {
	event_id: EventId(),
	type: EventType(),
	partner: PartnerName(),
	environment: Environment("The environment of what it is about; of a test, that of the endpoint."),
	order_id: OrNull(Id("The order that it is about; null: none.")),
	created_at: Instant("When it was recorded."),
	body: Type.Object(
		{},
		{
			additionalProperties: true,
			description: "The body, which is signed and sent without spaces; of an old event, the part that is kept.",
		},
	),
});

export const ListEvents = adminOperation({
	id: "list_events",
	method: "GET",
	path: "/admin/api/v1/events",
	summary: "List events",
	description:
		"The events that partners are sent, newest first. `order.shipped` and `order.held` are recorded whether or not there is an endpoint for them, the others only for partners with an endpoint that chose their type.",
	query: pageQuery({ order_id: Type.Optional(GivenId("Only about this order.")) }),
	replies: { 200: pageOf(OperatorEvent, "OperatorEvents") },
	examples: {
		replies: {
			200: {
				items: [
					{
						event_id: "evt_0199f0a0000070008000000000000e010002",
						type: "order.held",
						partner: "North Web Shop",
						environment: "live",
						order_id: "0199f0a0-0000-7000-8000-000000000e01",
						created_at: "2026-09-06T12:00:00.000Z",
						body: { type: "order.held", data: { reason: "address_invalid", detail: null } },
					},
				],
				next_cursor: null,
			},
		},
	},
});
