import Type from "typebox";
import { REASON_QUERY } from "../../partners/admin/headers.ts";
import { adminWrite } from "../../partners/admin/operation.ts";
import { ReplyObject } from "../../partners/http/text.ts";
import { PartnerParams } from "../../partners/keys/partner-admin-contract.ts";
import { RestockSandbox } from "./contract.ts";

const { received_units, removed_units } = RestockSandbox.replies[200].properties;

export const RestockOperatorSandbox = adminWrite({
	id: "restock_sandbox",
	method: "POST",
	path: "/admin/api/v1/sandbox/restock",
	summary: "Restock the sandboxes of all partners",
	description:
		"Creates the test SKUs and their sample certificates if they are missing, and brings the free units of every test SKU in every partner's sandbox back to what they are after the daily restock. Lots of the brand `SANDBOX` that you received or imported are copied into each sandbox. Units that holds and orders have are not touched. If there was nothing to do, the audit log gets no row.",
	query: REASON_QUERY,
	replies: {
		200: ReplyObject("RestockedSandbox", {
			done: Type.Literal(true, { description: "The test SKUs are restocked." }),
			received_units,
			removed_units,
			sample_certificates: Type.Integer({ minimum: 0, description: "Sample certificates that were missing." }),
		}),
	},
	examples: {
		replies: { 200: { done: true, received_units: 3, removed_units: 0, sample_certificates: 0 } },
	},
});

export const RestockPartnerSandbox = adminWrite({
	id: "restock_partner_sandbox",
	method: "POST",
	path: "/admin/api/v1/partners/:partner_id/sandbox/restock",
	summary: "Restock the sandbox of one partner",
	description:
		"Does for one partner's sandbox what the restock of all does, without sample certificates. If there was nothing to do, the audit log gets no row.",
	params: PartnerParams,
	query: REASON_QUERY,
	replies: {
		200: ReplyObject("RestockedPartnerSandbox", {
			done: Type.Literal(true, { description: "The sandbox is restocked." }),
			received_units,
			removed_units,
		}),
	},
	examples: {
		params: { partner_id: "North Web Shop" },
		replies: { 200: { done: true, received_units: 3, removed_units: 0 } },
		errors: { not_found: '"North Web Shop" has no sandbox: no sandbox key was minted for it.' },
	},
});
