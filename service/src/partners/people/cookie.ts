/** The cookie of a session (operator contract, section 2). */

/** `secure`: the public address of the operator's API begins with https. */
const nameOf = (secure: boolean): string => (secure ? "__Host-holdfast" : "holdfast");

/** The header Set-Cookie that hands a session to a browser. It has no age: the session ends on the server. */
export const setCookie = (secret: string, secure: boolean): string =>
	`${nameOf(secure)}=${secret}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;

/** The header that removes it. */
export const clearCookie = (secure: boolean): string => `${setCookie("", secure)}; Max-Age=0`;

/** The secret in the header Cookie; null: there is none, or more than one. */
export function secretIn(header: string | undefined, secure: boolean): string | null {
	const prefix = `${nameOf(secure)}=`;
	const found = (header ?? "")
		.split(";")
		.map((part) => part.trim())
		.filter((part) => part.startsWith(prefix));
	return found.length === 1 ? (found[0] ?? "").slice(prefix.length) || null : null;
}
