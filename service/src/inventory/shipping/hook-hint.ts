import { createHash, timingSafeEqual } from "node:crypto";

/** Most characters of a hint: the platform's own limit on a resource address. */
const MAX_HINT = 200;

/** Compares in constant time. */
export const isHookSecret = (given: string, wanted: string): boolean => timingSafeEqual(sha256(given), sha256(wanted));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * The resource that a notification is about: its path and query on the platform. Null if it names none, or an address
 * elsewhere. Notifications are not signed, so nothing else in them is trusted, and no address in them is ever fetched.
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
