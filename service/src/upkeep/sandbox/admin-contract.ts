import Type from "typebox";
import { CONFLICT_EXAMPLE, RETRY_EXAMPLE, WRITE_HEADERS, WRITE_REPLY_HEADERS } from "../../partners/admin/headers.ts";
import { LEAST_ROLE } from "../../partners/admin/role.ts";
import { operation } from "../../partners/http/operation.ts";
import { ReplyObject } from "../../partners/http/text.ts";
import { RestockSandbox } from "./contract.ts";

const { received_units, removed_units } = RestockSandbox.replies[200].properties;

export const RestockOperatorSandbox = operation({
	id: "restock_sandbox",
	method: "POST",
	path: "/admin/api/v1/sandbox/restock",
	scope: LEAST_ROLE.restock_sandbox,
	summary: "Restock the sandbox",
	description:
		"Creates the test SKUs and their sample certificates if they are missing, and brings the free units of every test SKU back to what they are after the daily restock. Units that holds and orders have are not touched. If there was nothing to do, the audit log gets no row.",
	headers: WRITE_HEADERS,
	replies: {
		200: ReplyObject("RestockedSandbox", {
			done: Type.Literal(true, { description: "The test SKUs are restocked." }),
			received_units,
			removed_units,
			sample_certificates: Type.Integer({ minimum: 0, description: "Sample certificates that were missing." }),
		}),
	},
	replyHeaders: WRITE_REPLY_HEADERS,
	examples: {
		replies: { 200: { done: true, received_units: 3, removed_units: 0, sample_certificates: 0 } },
		errors: { idempotency_conflict: CONFLICT_EXAMPLE, retry: RETRY_EXAMPLE },
	},
});
