import { WebhookError } from "../../webhooks/error.ts";
import { signaturesOf } from "../../webhooks/sign.ts";
import { usage } from "../failure.ts";
import { readVariables } from "../settings.ts";

/** The option of commands that sign or verify. */
export const SECRET = {
	secret: {
		type: "string",
		value: "whsec_…",
		text: "the endpoint's secret; better in HOLDFAST_WEBHOOK_SECRET. Several with blanks between them",
	},
} as const;

/** The endpoint's secrets. @throws CommandFailure `usage` */
export async function secretOf(given: { readonly secret?: string }): Promise<string> {
	const secret = given.secret ?? (await readVariables()).HOLDFAST_WEBHOOK_SECRET;
	if (!secret) {
		throw usage(
			"Set HOLDFAST_WEBHOOK_SECRET (or --secret) to the whsec_… of your endpoint: holdfast.webhookEndpoints.create({ url }) shows it once.",
		);
	}
	try {
		await signaturesOf("", "", new Uint8Array(), secret);
	} catch (error) {
		if (error instanceof WebhookError)
			throw usage("The secret is not of the form whsec_…: copy it again, with all of its characters.");
		throw error;
	}
	return secret;
}
