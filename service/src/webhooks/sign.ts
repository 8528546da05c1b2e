import { createHmac } from "node:crypto";
import { signingKeyOf } from "./secret.ts";

/** What an attempt says of itself. */
export interface SignedContent {
	/** `evt_…`, the same on every attempt. */
	readonly eventId: string;
	/** Unix seconds, of the attempt. */
	readonly timestamp: number;
	readonly body: string;
}

/** The headers of Standard Webhooks, signed with each of the secrets (contract, section 6). */
export function signedHeaders({ eventId, timestamp, body }: SignedContent, secrets: readonly string[]) {
	const content = `${eventId}.${timestamp}.${body}`;
	const signatures = secrets.map(
		(secret) => `v1,${createHmac("sha256", signingKeyOf(secret)).update(content).digest("base64")}`,
	);
	return {
		"webhook-id": eventId,
		"webhook-timestamp": String(timestamp),
		"webhook-signature": signatures.join(" "),
	};
}
