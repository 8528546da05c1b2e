import { createHmac, timingSafeEqual } from "node:crypto";

/** What a post says of itself, in the headers of Standard Webhooks. */
export interface Signed {
	readonly id: string;
	/** Unix seconds, as they were sent. */
	readonly timestamp: string;
	/** `v1,…`, several of them divided by blanks. */
	readonly signature: string;
	readonly body: Buffer;
}

const PREFIX = "whsec_";

/**
 * Is one of its signatures made with this secret? The lab's own code: that of the service could be wrong in the same
 * way twice.
 */
export function isSignedWith(secret: string, { id, timestamp, signature, body }: Signed): boolean {
	const key = Buffer.from(secret.slice(PREFIX.length), "base64");
	const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
	return signature.split(" ").some((one) => {
		const [version, text = ""] = one.split(",");
		const given = Buffer.from(text, "base64");
		return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
	});
}
