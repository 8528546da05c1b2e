import { createHmac, type KeyObject } from "node:crypto";

export interface SignedContent {
	/** `evt_…`, the same on every attempt. */
	readonly eventId: string;
	/** Unix seconds of the attempt. */
	readonly timestamp: number;
	readonly body: string;
}

/** The headers of Standard Webhooks, signed with the key of each secret (contract, section 6). */
export function signedHeaders({ eventId, timestamp, body }: SignedContent, keys: readonly KeyObject[]) {
	const content = `${eventId}.${timestamp}.${body}`;
	const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`);
	return {
		"webhook-id": eventId,
		"webhook-timestamp": String(timestamp),
		"webhook-signature": signatures.join(" "),
	};
}
