import Type from "typebox";
import { refuse } from "../../ground/lib/refusal.ts";
import { listQuery } from "../../partners/http/list.ts";
import { operation } from "../../partners/http/operation.ts";
import { Instant, ReplyObject, Text } from "../../partners/http/text.ts";
import { BODY_FIELDS, REQUEST_EXAMPLE, REQUEST_FIELDS } from "./request-contract.ts";

/** Maximum characters of a filter. */
const MAX_FILTER = 100;

/** The operator contract's section 8. Advance and restock answer a live key 404 (settlements, section 10). */
export const NOT_FOR_LIVE_KEYS = refuse("forbidden", "This operation is for sandbox keys only: use a sandbox key.");

const SandboxRequest = ReplyObject("SandboxRequest", {
	...REQUEST_FIELDS,
	...BODY_FIELDS,
	explanation: Type.Array(Type.String(), {
		description: "Why it was refused, in sentences, with the figures of that instant; empty if it was not refused.",
	}),
});

export const ListSandboxRequests = operation({
	id: "listSandboxRequests",
	method: "GET",
	path: "/api/v1/sandbox/requests",
	scope: "atp.check",
	summary: "List the requests of your sandbox key, and why they were refused",
	description:
		"For sandbox keys only; a live key is answered 403. Lists this key's own requests, newest first, with their bodies. A request is listed about a second after its reply. With `request_id`, the list has this request alone, and its explanation.",
	conditional: true,
	query: listQuery({
		request_id: Type.Optional(
			Text({ min: 1, max: MAX_FILTER, description: "Only the request with this id, with its explanation." }),
		),
		operation: Type.Optional(Text({ min: 1, max: MAX_FILTER, description: "Only of this operation." })),
		status: Type.Optional(
			Type.Integer({ minimum: 100, maximum: 599, description: "Only those answered with this status." }),
		),
		code: Type.Optional(Text({ min: 1, max: MAX_FILTER, description: "Only those refused with this code." })),
	}),
	replies: {
		200: ReplyObject("SandboxRequests", {
			items: Type.Array(SandboxRequest, { description: "The newest first." }),
			next_cursor: Type.Union([Type.String(), Type.Null()], {
				description: "The cursor of the page after this one, with older requests; null: this is the last page.",
			}),
			has_more: Type.Boolean({ description: "There is a page after this one." }),
			as_of: Instant("When the list was read."),
		}),
	},
	examples: {
		replies: {
			200: {
				items: [
					{
						...REQUEST_EXAMPLE,
						body: '{"items":[{"sku":"SBX-LOW","qty":5}],"external_ref":"cart-1001"}',
						reply: null,
						explanation: [REQUEST_EXAMPLE.message],
					},
				],
				next_cursor: null,
				has_more: false,
				as_of: "2026-09-06T12:00:01.000Z",
			},
		},
		errors: { forbidden: NOT_FOR_LIVE_KEYS.message },
	},
});
