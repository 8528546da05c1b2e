import { concat } from "./body.ts";
import { WebhookError } from "./error.ts";

/** One secret or several, as an array or in one text with blanks between them. */
export type Secrets = string | readonly string[];

/**
 * The Standard Webhooks signature of a delivery with each secret: `v1,` and the base64 of an HMAC-SHA-256.
 * `timestamp`: Unix seconds of the attempt. @throws WebhookError `secret_invalid`
 */
export async function signaturesOf(
	id: string,
	timestamp: string,
	body: Uint8Array,
	secrets: Secrets,
): Promise<string[]> {
	const content = concat([new TextEncoder().encode(`${id}.${timestamp}.`), body]);
	return Promise.all(
		keysOf(secrets).map(async (bytes) => {
			const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
			const mac = await crypto.subtle.sign("HMAC", key, content as Uint8Array<ArrayBuffer>);
			return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
		}),
	);
}

function keysOf(secrets: Secrets): Uint8Array<ArrayBuffer>[] {
	// an environment variable that is not set is undefined
	const all = [secrets ?? []].flat().join(" ").trim().split(/\s+/);
	return all.map((secret) => {
		try {
			const [, base64 = "!"] = /^whsec_(.+)/.exec(secret) ?? [];
			return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
		} catch {
			throw new WebhookError(
				"secret_invalid",
				"The secret must be the whsec_… that was shown for the endpoint. Is its environment variable set?",
			);
		}
	});
}
