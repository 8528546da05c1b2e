import Type from "typebox";
import { FRESH_SIGN_IN_EXAMPLE, REASON_QUERY } from "../admin/headers.ts";
import { adminEdit, adminOperation, adminWrite, WRITE_ERRORS } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { Day, GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import { Description, EventTypes, FirstEventTypes, Url, words } from "./contract.ts";
import { CHOSEN_EVENT_TYPES, type ChosenEventType, DEFAULT_EVENT_TYPES, INACTIVE_REASONS } from "./endpoint.ts";
import { DEFAULT_SECRET_OVERLAP_HOURS, MAX_ENDPOINTS, MAX_SECRET_OVERLAP_HOURS, MAX_SECRETS } from "./limits.ts";
import { INACTIVE } from "./send-test.ts";

export const STATUSES = ["active", "inactive"] as const;
export const Environment = (description: string) => words(["live", "sandbox"], description);
const PartnerName = (description: string) => Text({ min: 1, max: 200, description });

const ENDPOINT_FIELDS = {
	endpoint_id: Id("The id of the endpoint."),
	partner: Type.String({ description: "The name of its partner." }),
	environment: Environment("It is sent the events of this environment."),
	url: Type.String({ description: "Where events are sent." }),
	event_types: Type.Array(words(CHOSEN_EVENT_TYPES), { description: "The events that it is sent." }),
	description: OrNull(Type.String({ description: "Its description; null: none." })),
	status: words(STATUSES, "`inactive`: nothing is sent to it."),
	inactive_reason: OrNull(
		words(
			INACTIVE_REASONS,
			"`partner`, `operator`: who made it inactive. `gone`: it answered 410. `failing`: every attempt failed for 120 hours.",
		),
	),
	failing_since: OrNull(Instant("The first failure after the last success; null: the last attempt succeeded.")),
	version: Day("The API date of the bodies that it is sent."),
	created_at: Instant("When it was registered."),
	updated_at: Instant("When it was last changed."),
};
const OperatorEndpoint = ReplyObject("OperatorEndpoint", ENDPOINT_FIELDS);
const ListedEndpoint = ReplyObject("ListedEndpoint", {
	...ENDPOINT_FIELDS,
	pending: Type.Integer({ minimum: 0, description: "Deliveries that wait for their next attempt." }),
});
const EndpointWithSecret = ReplyObject("OperatorEndpointWithSecret", {
	...ENDPOINT_FIELDS,
	secret: Type.String({ description: "`whsec_…`; shown only this once." }),
});
const EXAMPLE = {
	endpoint_id: "0199f0a0-0000-7000-8000-0000000000d1",
	partner: "North Web Shop",
	environment: "live" as const,
	url: "https://shop.example.com/webhooks/holdfast",
	event_types: [...DEFAULT_EVENT_TYPES] as ChosenEventType[],
	description: "the shop",
	status: "active" as const,
	inactive_reason: null,
	failing_since: null,
	version: "2026-09-06",
	created_at: "2026-09-06T12:00:00.000Z",
	updated_at: "2026-09-06T12:00:00.000Z",
};
const EXAMPLE_SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const PAUSED = { ...EXAMPLE, status: "inactive" as const, inactive_reason: "operator" as const };
const EndpointParams = Type.Object({ id: GivenId("The `endpoint_id`.") });
const params = { id: EXAMPLE.endpoint_id };
const ERRORS = {
	not_found: NO_ENDPOINT.message,
	...WRITE_ERRORS,
} as const;
const Reason = () =>
	Type.Optional(Text({ min: 1, max: 500, description: "The reason, which is kept in the audit log." }));

export const ListEndpoints = adminOperation({
	id: "list_endpoints",
	method: "GET",
	path: "/admin/api/v1/endpoints",
	summary: "List webhook endpoints",
	description: "Newest first, of every partner. Secrets are never shown again.",
	query: pageQuery({
		partner: Type.Optional(PartnerName("Only of the partner of this name.")),
		environment: Type.Optional(Environment("Only of this environment.")),
		status: Type.Optional(words(STATUSES, "Only endpoints of this status.")),
		q: Type.Optional(Text({ min: 1, max: 200, description: "Only those whose address or description contains this." })),
	}),
	replies: { 200: pageOf(ListedEndpoint, "OperatorEndpoints") },
	examples: { replies: { 200: { items: [{ ...EXAMPLE, pending: 0 }], next_cursor: null } } },
});

export const GetEndpoint = adminOperation({
	id: "get_endpoint",
	method: "GET",
	path: "/admin/api/v1/endpoints/:id",
	summary: "Read a webhook endpoint",
	description: "Without the number of its pending deliveries, so that its ETag changes only with the endpoint.",
	params: EndpointParams,
	conditional: true,
	replies: { 200: OperatorEndpoint },
	examples: { params, replies: { 200: EXAMPLE }, errors: { not_found: NO_ENDPOINT.message } },
});

export const MakeEndpoint = adminWrite({
	id: "make_endpoint",
	method: "POST",
	path: "/admin/api/v1/endpoints",
	summary: "Register a webhook endpoint",
	description: `Where events of the partner are sent from now on; at most ${MAX_ENDPOINTS} in each environment. The reply has the secret that signs them, only this once.`,
	body: RequestObject("MakeEndpointRequest", {
		partner: PartnerName("The partner's name."),
		environment: Environment("Events of this environment."),
		url: Url(),
		event_types: Type.Optional(FirstEventTypes()),
		description: Type.Optional(Description()),
	}),
	replies: { 201: EndpointWithSecret },
	examples: {
		request: { partner: EXAMPLE.partner, environment: "live", url: EXAMPLE.url, description: "the shop" },
		replies: { 201: { ...EXAMPLE, secret: EXAMPLE_SECRET } },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			...ERRORS,
			not_found: 'There is no partner "Nort Web Shop". Did you mean "North Web Shop"?',
			not_possible_now: "There are 10 endpoints, which is the maximum. Delete one first.",
		},
	},
});

export const ChangeEndpoint = adminEdit({
	id: "change_endpoint",
	method: "PATCH",
	path: "/admin/api/v1/endpoints/:id",
	summary: "Change a webhook endpoint",
	description:
		"Absent fields keep their values. Setting it to `inactive` drops its pending deliveries; events are still recorded. Setting it to `active` resumes with new events; `recover` sends the rest.",
	params: EndpointParams,
	body: RequestObject("ChangeEndpointRequest", {
		url: Type.Optional(Url()),
		event_types: Type.Optional(EventTypes()),
		description: Type.Optional(Description()),
		status: Type.Optional(words(STATUSES, "`inactive`: nothing is sent to it.")),
		reason: Reason(),
	}),
	replies: { 200: OperatorEndpoint },
	examples: { params, request: { status: "active" }, replies: { 200: EXAMPLE }, errors: ERRORS },
});

export const DeleteEndpoint = adminEdit({
	id: "delete_endpoint",
	method: "DELETE",
	path: "/admin/api/v1/endpoints/:id",
	summary: "Delete a webhook endpoint",
	description: "For good, with its secrets. Its pending deliveries are dropped.",
	params: EndpointParams,
	query: REASON_QUERY,
	replies: { 200: ReplyObject("DeletedEndpoint", { ok: Type.Literal(true, { description: "It is deleted." }) }) },
	examples: { params, replies: { 200: { ok: true } }, errors: ERRORS },
});

export const RotateEndpointSecret = adminEdit({
	id: "rotate_endpoint_secret",
	method: "POST",
	path: "/admin/api/v1/endpoints/:id/rotate-secret",
	summary: "Give a webhook endpoint a new secret",
	description: `The reply has the new secret, only this once. During the overlap the older ones also sign, at most ${MAX_SECRETS} in all. With 0 they end immediately.`,
	params: EndpointParams,
	body: RequestObject("RotateEndpointSecretRequest", {
		overlap_hours: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: MAX_SECRET_OVERLAP_HOURS,
				description: `Hours for which older secrets also sign; ${DEFAULT_SECRET_OVERLAP_HOURS} when absent.`,
			}),
		),
		reason: Reason(),
	}),
	replies: { 200: EndpointWithSecret },
	examples: {
		params,
		request: { overlap_hours: 24 },
		replies: { 200: { ...EXAMPLE, secret: EXAMPLE_SECRET } },
		errors: { fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE, ...ERRORS },
	},
});

export const TestEndpoint = adminWrite({
	id: "test_endpoint",
	method: "POST",
	path: "/admin/api/v1/endpoints/:id/test",
	summary: "Send a test event",
	description: "An event `webhook.test` is recorded for this endpoint alone, and sent like any other.",
	params: EndpointParams,
	replies: { 200: ReplyObject("TestedEndpoint", { event_id: Type.String({ description: "The event." }) }) },
	examples: {
		params,
		replies: { 200: { event_id: "evt_0199f0a0000070008000000000000e01" } },
		errors: { ...ERRORS, not_possible_now: INACTIVE.message },
	},
});

export const PauseEndpoint = adminEdit({
	id: "pause_endpoint",
	method: "POST",
	path: "/admin/api/v1/endpoints/:id/pause",
	summary: "Make a webhook endpoint inactive",
	description:
		"Nothing is sent to it, and its pending deliveries are dropped; events are still recorded. An endpoint that is already inactive is returned as it is.",
	params: EndpointParams,
	body: RequestObject("PauseEndpointRequest", { reason: Reason() }),
	replies: { 200: OperatorEndpoint },
	examples: {
		params,
		request: { reason: "The shop moves to another host." },
		replies: { 200: PAUSED },
		errors: ERRORS,
	},
});

export const ResumeEndpoint = adminEdit({
	id: "resume_endpoint",
	method: "POST",
	path: "/admin/api/v1/endpoints/:id/resume",
	summary: "Make a webhook endpoint active again",
	description:
		"It is sent new events; `recover` sends those that it missed. An endpoint that is already active is returned as it is.",
	params: EndpointParams,
	body: RequestObject("ResumeEndpointRequest", { reason: Reason() }),
	replies: { 200: OperatorEndpoint },
	examples: { params, request: {}, replies: { 200: EXAMPLE }, errors: ERRORS },
});

export const RecoverEndpoint = adminWrite({
	id: "recover_endpoint",
	method: "POST",
	path: "/admin/api/v1/endpoints/:id/recover",
	summary: "Send undelivered events again",
	description:
		"Requeues every undelivered event since `since` (exhausted, dropped, or recorded while it was inactive), as far back as events are kept.",
	params: EndpointParams,
	body: RequestObject("RecoverEndpointRequest", { since: Text({ min: 1, max: 64, description: "RFC 3339." }) }),
	replies: {
		200: ReplyObject("RecoveredEndpoint", {
			events: Type.Integer({ minimum: 0, description: "Events that are sent again." }),
		}),
	},
	examples: {
		params,
		request: { since: "2026-09-06T12:00:00Z" },
		replies: { 200: { events: 12 } },
		errors: { ...ERRORS, not_possible_now: INACTIVE.message },
	},
});
