import { createHash, timingSafeEqual } from "node:crypto";

/** Characters of a hint: the platform's own limit on the address of a resource. */
const MAX_HINT = 200;

/** Compares in a time that tells nothing of the secret. */
export const isHookSecret = (given: string, wanted: string): boolean => timingSafeEqual(sha256(given), sha256(wanted));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * The resource that a notification is about: its path at the platform, with its query. Null: it does not say, or the
 * address is not the platform's own. Notifications are not signed, so nothing else in them is believed, and nothing is
 * ever fetched from an address in them.
 */
export function hintIn(body: string, platformUrl: string): string | null {
	const address = URL.parse(resourceUrlOf(body));
	const platform = URL.parse(platformUrl);
	if (address === null || platform === null || address.origin !== platform.origin) return null;
	const base = platform.pathname.replace(/\/$/, "");
	const path = address.pathname + address.search;
	if (!path.startsWith(`${base}/v2/`)) return null;
	const hint = path.slice(base.length);
	return hint.length <= MAX_HINT ? hint : null;
}

function resourceUrlOf(body: string): string {
	try {
		const parsed = JSON.parse(body) as { readonly resource_url?: unknown } | null;
		return typeof parsed?.resource_url === "string" ? parsed.resource_url : "";
	} catch {
		return "";
	}
}
