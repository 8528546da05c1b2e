import { hash } from "node:crypto";

/** Characters of a digest in an ETag: 160 bits, in base64url. */
const DIGEST_LENGTH = 27;

/**
 * The ETag of a reply to one key on one API date. Weak, because it ignores `as_of`, which changes with every read.
 * `body` is the JSON as sent; `asOf` the value of its top-level `as_of`, if it has one.
 */
export function etagOf(body: string, asOf: unknown, pk: string, date: string): string {
	const told = typeof asOf === "string" ? body.replace(`"as_of":${JSON.stringify(asOf)}`, "") : body;
	return `W/"${hash("sha256", `${pk} ${date} ${told}`, "base64url").slice(0, DIGEST_LENGTH)}"`;
}

/** A reply without the members that its ETag ignores. */
export const without = (data: object, ignored: readonly string[]): object =>
	Object.fromEntries(Object.entries(data).filter(([name]) => !ignored.includes(name)));

/** The ETag of a text or bytes: their digest, hence strong and the same for every caller. */
export const contentEtag = (content: string | Uint8Array): string =>
	`"${hash("sha256", content, "base64url").slice(0, DIGEST_LENGTH)}"`;

/** Whether If-None-Match names this ETag, by weak comparison (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	const opaque = etag.startsWith("W/") ? etag.slice(2) : etag;
	return ifNoneMatch.split(",").some((one) => {
		const given = one.trim();
		return given === "*" || given === opaque || given === `W/${opaque}`;
	});
}
