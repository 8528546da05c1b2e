/** What requests are searched for. */
export interface Sought {
	/** Ids of orders and tokens of their holds: nothing else has them. */
	readonly ids: readonly string[];
	/** References of orders, which may be as short as `1`: matched as a whole, not within other texts. */
	readonly refs: readonly string[];
	/** A customer's e-mail address; null: none. */
	readonly email: string | null;
}

/** A stored request, as far as it matters here. */
interface StoredRequest {
	readonly url?: string;
	readonly about?: readonly string[];
	readonly idempotency_key?: string;
	readonly body_in?: string;
	readonly body_out?: string;
}

/**
 * The requests of a chunk of the log, as JSON, without the bodies of those that are about one of the orders or have the
 * address in a body; null if there is nothing to remove. Everything else of a request stays: when it came, what it was
 * about and how it was answered. A list of orders loses its whole body, because the log may have cut it in the middle.
 */
export function withoutBodies(requests: string, sought: Sought): string | null {
	const before = JSON.parse(requests) as StoredRequest[];
	let found = 0;
	const after = before.map((request) => {
		const { body_in, body_out, ...rest } = request;
		if ((body_in === undefined && body_out === undefined) || !isMeant(request, sought)) return request;
		found++;
		return rest;
	});
	return found === 0 ? null : JSON.stringify(after);
}

function isMeant(request: StoredRequest, { ids, refs, email }: Sought): boolean {
	const { url = "", about = [], idempotency_key: key, body_in = "", body_out = "" } = request;
	if (refs.some((ref) => key === ref || about.includes(ref))) return true;
	const texts = [url, ...about, unescaped(body_in), body_out].map((text) => text.toLowerCase());
	const words = email === null ? ids : [...ids, email.trim().toLowerCase()];
	return words.some((word) => texts.some((text) => text.includes(word)));
}

/** Undoes the escapes as which some writers of JSON spell letters outside ASCII, or characters such as `+` and `'`. */
const unescaped = (json: string): string =>
	json.replaceAll(/\\u([0-9a-f]{4})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The longest part of an address that everybody spells alike: other characters may be escaped. */
const plainPart = (email: string): string =>
	(email.match(/[a-z0-9@._-]+/g) ?? []).reduce((longest, part) => (part.length > longest.length ? part : longest), "");

/**
 * Texts of which a chunk contains at least one if a body must be removed from it, as they are spelled in the chunk's
 * JSON, in lower case.
 */
export const traces = ({ ids, refs, email }: Sought): string[] => [
	...ids,
	...refs.map((ref) => JSON.stringify(ref).toLowerCase()),
	...(email === null ? [] : [plainPart(email.trim().toLowerCase())]),
];
