import type { Answer } from "./client.ts";

/** The callers that request what the owner has. */
export const STRANGERS = [
	"same partner, same brand",
	"same partner, other brand",
	"same partner, sandbox",
	"other partner, same brand",
	"other partner, other brand",
	"other partner, unbound",
	"other partner, sandbox",
] as const;

/** Every part of a reply that must be the same in both cases. `names`: values that the caller itself sent. */
export function told({ status, text, headers }: Answer, ...names: string[]) {
	const { date: _date, "x-request-id": _id, ratelimit: _left, etag, ...rest } = headers;
	const blank = names.reduce((left, name) => left.replaceAll(name, "~".repeat(name.length)), text);
	const own = blank
		.replace(/"reservation_token":"[0-9a-f-]{36}"/, '"reservation_token":"~"')
		.replace(/"expires_at":"[^"]+"/, '"expires_at":"~"')
		.replace(/"as_of":"[^"]+"/, '"as_of":"~"')
		// sealed together with the filters, which the caller itself sent
		.replace(/"next_cursor":"([^"]+)"/, (_all, cursor: string) => `"next_cursor":"${"~".repeat(cursor.length)}"`);
	return { status, text: own, headers: rest, hasEtag: etag !== undefined };
}
