import { createHmac, timingSafeEqual } from "node:crypto";

/** The headers of a post according to Standard Webhooks. */
export interface Signed {
	readonly id: string;
	/** Unix seconds, as sent. */
	readonly timestamp: string;
	/** One or more `v1,…`, separated by blanks. */
	readonly signature: string;
	readonly body: Buffer;
}

const PREFIX = "whsec_";

/**
 * Whether one of its signatures was made with this secret. The lab's own code: the service's might have the same bug in
 * signing and verifying.
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
