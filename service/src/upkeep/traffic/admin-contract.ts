import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Instant, ReplyObject, Text } from "../../partners/http/text.ts";
import { Explanation } from "../ledger/admin-contract.ts";
import { BODY_FIELDS, Maybe, REQUEST_EXAMPLE, REQUEST_FIELDS } from "./request-contract.ts";

/** Maximum code points of a filter. */
const MAX_FILTER = 300;
const Filter = (description: string) => Type.Optional(Text({ min: 1, max: MAX_FILTER, description }));
const Environment = Type.Optional(
	Type.Enum(["live", "sandbox"], { type: "string", description: "Only of keys of this environment." }),
);

const CALLER_FIELDS = {
	key: Maybe(
		"The public half of its key. For a request that was not authenticated: the public half that was sent, if it has the form of one.",
	),
	key_name: Maybe("The name of the key; null: it was nobody's."),
	partner: Maybe("The partner of the key."),
};

const LoggedRequest = ReplyObject("LoggedRequest", {
	...REQUEST_FIELDS,
	environment: Type.Enum(["live", "sandbox"], {
		description: "The environment of its key; `live` also for unknown callers.",
	}),
	...CALLER_FIELDS,
	auth_failure: Maybe("Why its credentials were not in force: which half failed, or how the key ended."),
	address: Type.String({ description: "The caller's address, in the form in which requests are counted." }),
});

const CALLER_EXAMPLE = {
	environment: "live" as const,
	key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
	key_name: "storefront",
	partner: "Acme",
	auth_failure: null,
	address: "203.0.113.7",
};

export const ListRequests = adminOperation({
	id: "list_requests",
	method: "GET",
	path: "/admin/api/v1/requests",
	summary: "List the requests of partners",
	description:
		"The log of requests, refused ones too, newest first. A request is listed about a second after its reply. A page whose filters are rare may have fewer requests than its limit, or none, and still a `next_cursor`: follow it to look further back.",
	query: pageQuery({
		key: Filter("Only of this key: public half, name, or `partner/name`."),
		environment: Environment,
		operation: Filter("Only of this operation."),
		status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: "Only with this status." })),
		code: Filter("Only refused with this code."),
		q: Filter("Only with this text in request id, path, message, references, address or user agent."),
		from: Filter("Only at or after this time (RFC 3339), or from this day on (UTC)."),
		to: Filter("Only before this time, or this day."),
	}),
	replies: { 200: pageOf(LoggedRequest, "LoggedRequests") },
	examples: {
		replies: { 200: { items: [{ ...REQUEST_EXAMPLE, ...CALLER_EXAMPLE }], next_cursor: null } },
		errors: { not_found: 'No key has the name or public half "storfront". Did you mean "storefront"?' },
	},
});

export const GetRequest = adminOperation({
	id: "get_request",
	method: "GET",
	path: "/admin/api/v1/requests/:request_id",
	summary: "Show a request, and why it was refused",
	description:
		"Everything that the log has about a request, also as a curl command; for a refusal also its explanation, in sentences and in figures as of its instant.",
	params: Type.Object({ request_id: Text({ min: 1, max: MAX_FILTER, description: "Its id." }) }),
	conditional: true,
	replies: {
		200: ReplyObject("ShownRequest", {
			...LoggedRequest.properties,
			...BODY_FIELDS,
			curl: Type.String({ description: "The request as a curl command, with a placeholder for the key." }),
			explanation: Type.Array(Type.String(), { description: "Why it was refused; empty if it was not." }),
			counts: Type.Array(Explanation, {
				description: "For `no_inventory`, the counts at the instant of the decision, as the key saw them.",
			}),
		}),
	},
	examples: {
		params: { request_id: REQUEST_EXAMPLE.request_id },
		replies: {
			200: {
				...REQUEST_EXAMPLE,
				...CALLER_EXAMPLE,
				body: null,
				reply: null,
				curl: "curl -X POST 'https://api.example.com/api/v1/reserve' -H \"Authorization: Bearer $HOLDFAST_KEY\"",
				explanation: [REQUEST_EXAMPLE.message],
				counts: [],
			},
		},
		errors: { not_found: "The log has no request with this id: it may be too old, or was made a moment ago." },
	},
});

export const ListRequestErrors = adminOperation({
	id: "list_request_errors",
	method: "GET",
	path: "/admin/api/v1/requests/errors",
	summary: "Count the errors of partners",
	description:
		"The errors since a time, counted by operation, code and key, the most frequent first. On a busy service only the newest are counted.",
	query: Closed({
		environment: Environment,
		from: Filter("Since this time (RFC 3339) or day (UTC); a day ago by default."),
	}),
	replies: {
		200: ReplyObject("RequestErrors", {
			since: Instant("The time since which errors were counted."),
			items: Type.Array(
				ReplyObject("RequestErrorCount", {
					operation: Type.String({ description: "The operation." }),
					code: Type.String({ description: "The error code." }),
					...CALLER_FIELDS,
					count: Type.Integer({ minimum: 1, description: "The number of such errors." }),
					last_at: Instant("When the last one was answered."),
					last_request_id: Type.String({ description: "Its request id." }),
				}),
				{ description: "The most frequent first." },
			),
		}),
	},
	examples: {
		replies: {
			200: {
				since: "2026-09-05T12:00:00.000Z",
				items: [
					{
						operation: "reserve",
						code: "no_inventory",
						key: CALLER_EXAMPLE.key,
						key_name: CALLER_EXAMPLE.key_name,
						partner: CALLER_EXAMPLE.partner,
						count: 12,
						last_at: REQUEST_EXAMPLE.at,
						last_request_id: REQUEST_EXAMPLE.request_id,
					},
				],
			},
		},
	},
});
