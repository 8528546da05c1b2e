import type { UnknownReason } from "../../client/count.ts";
import type { OwnCode } from "../../client/types.ts";
import type { WebhookErrorCode } from "../../webhooks/error.ts";
import type { CommandCode } from "../failure.ts";

/** What a code or a class means, and what to do. */
export interface Page {
	readonly when: string;
	readonly todo: string;
}

/** The SDK's own codes, from three places, without those of the service. */
type KitCode = OwnCode | WebhookErrorCode | CommandCode | Exclude<UnknownReason, "unauthorized">;

/** Codes that come from the SDK itself. */
export const OF_KIT: Readonly<Record<KitCode, Page>> = {
	connection_lost: {
		when: "No answer of the service arrived, or not a whole one. `status` is 0, or that of whoever answered in its place, such as a proxy.",
		todo: "After a read: try again later. A call that changes something throws `OutcomeUnknown` instead: look up its `reference`, or make the same call again.",
	},
	reference_used: {
		when: "`withHold` was called with an `externalRef` whose hold or sale has other items, or was reversed.",
		todo: "Use one `externalRef` for each cart. Refund nothing: the payment under that reference is that of the other sale.",
	},
	secret_invalid: {
		when: "A secret that was given to `verifyWebhook` is not of the form `whsec_…`.",
		todo: "Give the secret that the endpoint was registered with. `rotateSecret` makes a new one.",
	},
	body_not_raw: {
		when: "The body that was given to `verifyWebhook` was parsed already, or read by somebody else: the bytes that were signed are gone.",
		todo: "Pass the body exactly as it arrived. The adapters for Express, Fastify, Hono and Next.js do that.",
	},
	header_missing: {
		when: "The delivery has no `webhook-id`, `webhook-timestamp` or `webhook-signature`: it is not the service's, or a proxy removed the header.",
		todo: "Answer 400. If your own deliveries fail this way, look at the proxy.",
	},
	timestamp_invalid: {
		when: "`webhook-timestamp` is not a number of seconds: the delivery is not the service's.",
		todo: "Answer 400.",
	},
	timestamp_out_of_tolerance: {
		when: "The delivery is more than five minutes old or early: somebody sent a recorded one again, or your clock is wrong.",
		todo: 'Answer 400. "holdfast-partner doctor" compares your clock with the service\'s.',
	},
	body_too_large: {
		when: "The body is larger than any event of the service.",
		todo: "Answer 413, or 400.",
	},
	signature_mismatch: {
		when: "No signature of the delivery is made with a secret that you gave: somebody forged it, the secret is another endpoint's, or the body is not what was sent, byte for byte.",
		todo: "Answer 401 or 400, and do nothing else. If your own deliveries fail this way, compare the secret, and pass the raw body.",
	},
	body_invalid: {
		when: "The signature is right, but the body is not an event.",
		todo: "Answer 400, and tell the operator, with the `webhook-id`.",
	},
	unknown_sku: {
		when: "A count is unknown because the service does not list the SKU for your key, or your mapping has no SKU for the product.",
		todo: "Do not show it as 0. Correct the mapping, or take the product down.",
	},
	empty: {
		when: "A count is unknown because the mirror has read nothing yet.",
		todo: "Do not show it as 0. Wait for the first read, or give the mirror a store, so that it begins with what it knew.",
	},
	stale: {
		when: "A count is unknown because the last read of the mirror is older than `staleAfterMs`.",
		todo: "Do not show it as 0. `status().lastError` says why the reads fail.",
	},
	usage: {
		when: "The command line is wrong, a setting is missing, or a file cannot be used. The exit code is 2.",
		todo: 'Do what the message says. "--help" after a command lists its options.',
	},
	unreadable: {
		when: "What `mirror check` was to compare cannot be read.",
		todo: "Correct the lines that the message names, or the address of the document.",
	},
	failed: {
		when: "The command itself has a fault.",
		todo: "Report the text that it printed.",
	},
};

/** The classes of errors that the SDK throws. */
export const CLASSES = {
	HoldfastError: {
		when: "A request was refused or not answered. `code` says why; `status` is 0 if no answer arrived or no request was made.",
		todo: "Look at `code`, never at the message. `help` is the address of its page; quote `requestId` when you ask for help.",
	},
	Unauthorized: {
		when: "The service answered 401 or 403. On 401 the key is refused; on 403 it may not do this.",
		todo: "On 401 hide the stock and alert a person. It never means a count of 0.",
	},
	RateLimited: {
		when: "The service answered 429 to every attempt. Nothing was done.",
		todo: "Try again after `retryAfterMs`.",
	},
	OutcomeUnknown: {
		when: "The last answer to a command was lost, or was 500: it was done completely or not at all.",
		todo: "Look up `reference`, or make the same call again with it, before you do anything else about the sale.",
	},
	ChargeUnknown: {
		when: "Your callback of `withHold` threw it: you do not know whether the customer was charged. The hold stays until its end.",
		todo: "Call `withHold` again with the same `externalRef` once you know: it continues where it stopped.",
	},
	WebhookError: {
		when: "A delivery must not be acted on. `code` says why.",
		todo: "Answer 4xx, and do nothing else. `secret_invalid` and `body_not_raw` are mistakes of the receiver.",
	},
} as const satisfies Readonly<Record<string, Page>>;
