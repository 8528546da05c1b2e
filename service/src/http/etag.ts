import { hash } from "node:crypto";

/**
 * The ETag of a reply to one key on one API date. Blind to `as_of`, which changes with every look; so it is a weak one.
 * `body` is the JSON as sent; `asOf` the value of its top-level `as_of`, if it has one.
 */
export function etagOf(body: string, asOf: unknown, pk: string, date: string): string {
	const told = typeof asOf === "string" ? body.replace(`"as_of":${JSON.stringify(asOf)}`, "") : body;
	return `W/"${hash("sha256", `${pk} ${date} ${told}`, "base64url").slice(0, 27)}"`;
}

/** Does If-None-Match name this ETag? By weak comparison (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	const opaque = etag.slice(2);
	return ifNoneMatch.split(",").some((one) => {
		const given = one.trim();
		return given === "*" || given === etag || given === opaque;
	});
}
