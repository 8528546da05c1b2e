import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { listOf, listQuery } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { Day, GivenId, Id, Instant, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import { NO_PARTNER } from "./create-endpoint.ts";
import { DELIVERY_STATUSES } from "./delivery.ts";
import { CHOSEN_EVENT_TYPES, type ChosenEventType, DEFAULT_EVENT_TYPES, INACTIVE_REASONS } from "./endpoint.ts";
import {
	DEFAULT_SECRET_OVERLAP_HOURS,
	MAX_DESCRIPTION,
	MAX_ENDPOINTS,
	MAX_SECRET_OVERLAP_HOURS,
	MAX_SECRETS,
	MAX_URL,
} from "./limits.ts";
import { NO_DELIVERY } from "./recover.ts";

const OrNull = <S extends ReturnType<typeof Type.String>>(schema: S) => Type.Union([schema, Type.Null()]);
export const words = <const T extends string>(of: readonly T[], description?: string) =>
	Type.Enum([...of], description === undefined ? { type: "string" } : { type: "string", description });

const EVENT_TYPES = "The events that it is sent.";
const DEFAULT_WORDS = DEFAULT_EVENT_TYPES.map((type) => `\`${type}\``).join(" and ");
/** The types that an endpoint chooses. `absent`: what a request without them means. */
export const EventTypes = (absent = "") =>
	Type.Array(words(CHOSEN_EVENT_TYPES), {
		minItems: 1,
		maxItems: CHOSEN_EVENT_TYPES.length,
		uniqueItems: true,
		description: `${EVENT_TYPES}${absent}`,
	});
/** The same, when an endpoint is registered. */
export const FirstEventTypes = () => EventTypes(` When absent: ${DEFAULT_WORDS}.`);
export const Url = () =>
	Text({
		min: 1,
		max: MAX_URL,
		description: "`https` only; its host has a public internet address. Redirects are not followed.",
	});
export const Description = () =>
	Type.Union([Text({ max: MAX_DESCRIPTION }), Type.Null()], { description: "In your own words, for your own lists." });

const ENDPOINT = {
	endpoint_id: Id(),
	url: Type.String(),
	event_types: Type.Array(words(CHOSEN_EVENT_TYPES)),
	description: OrNull(Type.String()),
	status: words(["active", "inactive"]),
	inactive_reason: Type.Union([
		words(
			INACTIVE_REASONS,
			"`partner`, `operator`: who made it inactive. `gone`: it answered 410. `failing`: every attempt failed for 120 hours.",
		),
		Type.Null(),
	]),
	version: Day("The API date of the bodies that it is sent: the current one when it was registered."),
	created_at: Instant(),
	updated_at: Instant(),
};
export const Endpoint = ReplyObject("WebhookEndpoint", ENDPOINT);
const NewSecret = ReplyObject("WebhookEndpointWithSecret", {
	...ENDPOINT,
	secret: Type.String({ description: "`whsec_…`; shown only this once." }),
});
const EndpointParams = Closed({ endpoint_id: GivenId("The endpoint's, from its registration or the list.") });

const EXAMPLE_ID = "0199f0a0-0000-7000-8000-0000000000d1";
const EXAMPLE = {
	endpoint_id: EXAMPLE_ID,
	url: "https://shop.example.com/webhooks/holdfast",
	event_types: [...DEFAULT_EVENT_TYPES] as ChosenEventType[],
	description: "the shop",
	status: "active" as const,
	inactive_reason: null,
	version: "2026-09-06",
	created_at: "2026-09-06T12:00:00.000Z",
	updated_at: "2026-09-06T12:00:00.000Z",
};
const EXAMPLE_SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const params = { endpoint_id: EXAMPLE_ID };

export const CreateWebhookEndpoint = operation({
	id: "createWebhookEndpoint",
	method: "POST",
	path: "/api/v1/webhook-endpoints",
	scope: "atp.webhooks",
	summary: "Register a webhook endpoint",
	description: `Where events of the key's partner and environment are sent from now on. At most ${MAX_ENDPOINTS}. The secret that signs them is shown only this once.`,
	body: RequestObject("WebhookEndpointRequest", {
		url: Url(),
		event_types: Type.Optional(FirstEventTypes()),
		description: Type.Optional(Description()),
	}),
	replies: { 201: NewSecret },
	examples: {
		request: { url: EXAMPLE.url, event_types: EXAMPLE.event_types, description: "the shop" },
		replies: { 201: { ...EXAMPLE, secret: EXAMPLE_SECRET } },
		errors: { not_found: NO_PARTNER.message },
	},
});

export const ListWebhookEndpoints = operation({
	id: "listWebhookEndpoints",
	method: "GET",
	path: "/api/v1/webhook-endpoints",
	scope: "atp.webhooks",
	summary: "List the webhook endpoints",
	description: "Those of the key's partner and environment, in the order of their changes.",
	query: listQuery({}),
	replies: { 200: listOf(Endpoint, { title: "WebhookEndpoints", asOf: "The moment that the reply describes." }) },
	conditional: true,
	examples: {
		replies: { 200: { items: [EXAMPLE], next_cursor: "NC5hYmM", has_more: false, as_of: "2026-09-06T12:00:01.000Z" } },
	},
});

export const GetWebhookEndpoint = operation({
	id: "getWebhookEndpoint",
	method: "GET",
	path: "/api/v1/webhook-endpoints/:endpoint_id",
	scope: "atp.webhooks",
	summary: "Read a webhook endpoint",
	description: "Its secret is never shown again.",
	params: EndpointParams,
	replies: { 200: Endpoint },
	examples: { params, replies: { 200: EXAMPLE }, errors: { not_found: NO_ENDPOINT.message } },
});

export const ChangeWebhookEndpoint = operation({
	id: "changeWebhookEndpoint",
	method: "PATCH",
	path: "/api/v1/webhook-endpoints/:endpoint_id",
	scope: "atp.webhooks",
	summary: "Change a webhook endpoint",
	description:
		"Absent fields keep their values. Setting it to `inactive` stops delivery and drops pending deliveries; events are still recorded. Setting it to `active` resumes with new events; `recover` sends the rest.",
	params: EndpointParams,
	body: RequestObject("WebhookEndpointChange", {
		url: Type.Optional(Url()),
		event_types: Type.Optional(EventTypes()),
		description: Type.Optional(Description()),
		status: Type.Optional(words(["active", "inactive"], "`inactive`: nothing is sent there.")),
	}),
	replies: { 200: Endpoint },
	examples: {
		params,
		request: { status: "active" },
		replies: { 200: EXAMPLE },
		errors: { not_found: NO_ENDPOINT.message },
	},
});

export const DeleteWebhookEndpoint = operation({
	id: "deleteWebhookEndpoint",
	method: "DELETE",
	path: "/api/v1/webhook-endpoints/:endpoint_id",
	scope: "atp.webhooks",
	summary: "Delete a webhook endpoint",
	description: "Deletes the endpoint and its secrets, and drops its pending deliveries.",
	params: EndpointParams,
	replies: { 200: ReplyObject("WebhookEndpointDeleted", { ok: Type.Literal(true) }) },
	examples: { params, replies: { 200: { ok: true } }, errors: { not_found: NO_ENDPOINT.message } },
});

export const RotateWebhookSecret = operation({
	id: "rotateWebhookSecret",
	method: "POST",
	path: "/api/v1/webhook-endpoints/:endpoint_id/rotate-secret",
	scope: "atp.webhooks",
	summary: "Give a webhook endpoint a new secret",
	description: `During the overlap the previous secrets also sign, at most ${MAX_SECRETS} in all. With 0 they end immediately.`,
	params: EndpointParams,
	body: RequestObject("RotateWebhookSecretRequest", {
		overlap_hours: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: MAX_SECRET_OVERLAP_HOURS,
				description: `${DEFAULT_SECRET_OVERLAP_HOURS} when absent.`,
			}),
		),
	}),
	replies: { 200: NewSecret },
	examples: {
		params,
		request: { overlap_hours: 24 },
		replies: { 200: { ...EXAMPLE, secret: EXAMPLE_SECRET } },
		errors: { not_found: NO_ENDPOINT.message },
	},
});

export const TestWebhookEndpoint = operation({
	id: "testWebhookEndpoint",
	method: "POST",
	path: "/api/v1/webhook-endpoints/:endpoint_id/test",
	scope: "atp.webhooks",
	summary: "Send a test event",
	description:
		"An event `webhook.test` is recorded for this endpoint alone, and sent like every other. Its deliveries show the result.",
	params: EndpointParams,
	replies: { 202: ReplyObject("WebhookTest", { event_id: Type.String() }) },
	examples: {
		params,
		replies: { 202: { event_id: "evt_0199f0a0000070008000000000000e01" } },
		errors: { not_found: NO_ENDPOINT.message },
	},
});

const Attempt = ReplyObject("WebhookAttempt", {
	at: Instant("When it began."),
	duration_ms: Type.Integer({ minimum: 0 }),
	status: Type.Union([Type.Integer({ description: "HTTP." }), Type.Null()]),
	error: OrNull(Type.String({ description: "Why there was no answer." })),
	response_excerpt: OrNull(Type.String({ description: "How the answer began." })),
});
const DeliveryItem = ReplyObject("WebhookDelivery", {
	delivery_id: Id(),
	event_id: Type.String(),
	type: words([...CHOSEN_EVENT_TYPES, "webhook.test"] as const),
	status: words(
		DELIVERY_STATUSES,
		"`exhausted`: every attempt failed. `dropped`: the endpoint became inactive. `recover` sends both again.",
	),
	attempts: Type.Array(Attempt),
	next_attempt_at: OrNull(Instant()),
});

export const ListWebhookDeliveries = operation({
	id: "listWebhookDeliveries",
	method: "GET",
	path: "/api/v1/webhook-endpoints/:endpoint_id/deliveries",
	scope: "atp.webhooks",
	summary: "List the deliveries of a webhook endpoint",
	description:
		"In the order of their events, each with its attempts. Deliveries that `recover` adds or requeues come last.",
	params: EndpointParams,
	query: listQuery({ status: Type.Optional(words(DELIVERY_STATUSES, "Only deliveries of this status.")) }),
	replies: { 200: listOf(DeliveryItem, { title: "WebhookDeliveries", asOf: "The moment that the reply describes." }) },
	conditional: true,
	examples: {
		params,
		replies: {
			200: {
				items: [
					{
						delivery_id: "0199f0a0-0000-7000-8000-0000000000f1",
						event_id: "evt_0199f0a0000070008000000000000e010002",
						type: "order.shipped",
						status: "delivered",
						attempts: [
							{
								at: "2026-09-06T12:00:00.000Z",
								duration_ms: 84,
								status: 200,
								error: null,
								response_excerpt: "ok",
							},
						],
						next_attempt_at: null,
					},
				],
				next_cursor: "NC5hYmM",
				has_more: false,
				as_of: "2026-09-06T12:00:01.000Z",
			},
		},
		errors: { not_found: NO_ENDPOINT.message },
	},
});

export const ResendWebhookDelivery = operation({
	id: "resendWebhookDelivery",
	method: "POST",
	path: "/api/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/resend",
	scope: "atp.webhooks",
	summary: "Send a delivery again",
	description:
		"Whatever its status, under the id of its event; its attempts start again from the first. An event is kept for a limited time, and an inactive endpoint is sent nothing.",
	params: Closed({
		endpoint_id: GivenId("The endpoint's, from its registration or the list."),
		delivery_id: GivenId("The delivery's, from the list of the endpoint's deliveries."),
	}),
	replies: {
		202: ReplyObject("WebhookResend", { event_id: Type.String({ description: "The event that is sent again." }) }),
	},
	examples: {
		params: { endpoint_id: EXAMPLE_ID, delivery_id: "0199f0a0-0000-7000-8000-0000000000f1" },
		replies: { 202: { event_id: "evt_0199f0a0000070008000000000000e010002" } },
		errors: { not_found: NO_DELIVERY.message },
	},
});

export const RecoverWebhookEvents = operation({
	id: "recoverWebhookEvents",
	method: "POST",
	path: "/api/v1/webhook-endpoints/:endpoint_id/recover",
	scope: "atp.webhooks",
	summary: "Send undelivered events again",
	description:
		"Requeues every undelivered event since `since` (exhausted, dropped, or recorded while inactive), as far back as events are retained.",
	params: EndpointParams,
	body: RequestObject("RecoverWebhookEventsRequest", { since: Text({ min: 1, max: 64, description: "RFC 3339." }) }),
	replies: {
		202: ReplyObject("WebhookRecovery", {
			events: Type.Integer({ minimum: 0, description: "Events that are sent again." }),
		}),
	},
	examples: {
		params,
		request: { since: "2026-09-06T12:00:00Z" },
		replies: { 202: { events: 12 } },
		errors: { not_found: NO_ENDPOINT.message },
	},
});
