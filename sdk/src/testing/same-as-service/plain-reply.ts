/** A reply as a side got it. */
export interface Seen {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

/** What the texts of one side have and those of the other side lack. */
export interface Own {
	/** Ids in the order in which replies showed them. */
	readonly ids: Map<string, string>;
	/** Texts to replace, such as the prefix of its SKUs: from, to. */
	readonly texts: readonly (readonly [from: string, to: string])[];
	/** Milliseconds since 1970. */
	readonly now: number;
}

/** Headers that both sides must send alike. */
const HEADERS = [
	"x-partner-version",
	"x-content-type-options",
	"ratelimit-policy",
	"retry-after",
	"idempotent-replayed",
	"partner-warning",
	"content-type",
	"content-security-policy",
	"referrer-policy",
	"cache-control",
	"vary",
	"allow",
	"deprecation",
	"sunset",
	"www-authenticate",
	"link",
] as const;
/** Headers that both sides must send, whatever their values. */
const PRESENT = ["x-request-id", "ratelimit", "etag", "x-next-cursor", "date"] as const;

const MS_PER_MINUTE = 60_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The reply in a form that must be the same on both sides: ids numbered, times and cursors without their values. */
export function plainReply({ status, headers, text }: Seen, own: Own): unknown {
	const isJson = headers.get("content-type")?.startsWith("application/json") === true && text !== "";
	const body: unknown = isJson ? plainValue(JSON.parse(text), own) : plainText(text, own);
	return {
		status,
		headers: HEADERS.flatMap((name) => {
			const value = headers.get(name);
			return value === null ? [] : [`${name}: ${plainText(value, own)}`];
		}),
		present: PRESENT.filter((name) => headers.has(name)),
		body: isJson ? JSON.stringify(body) : body, // the order of members counts
	};
}

/** Fields whose values differ without significance, and what replaces them. */
const PLAIN_MEMBERS: Readonly<Record<string, string>> = { next_cursor: "a cursor", secret: "a secret", pk: "a key" };

/** A part of a reply, or of an event. `name`: the member that it is the value of. */
export function plainValue(value: unknown, own: Own, name = ""): unknown {
	if (typeof value === "string") return plainMember(name, value, own);
	if (Array.isArray(value)) return name === "attempts" ? "some" : value.map((one) => plainValue(one, own));
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value).map(([member, one]) => [member, plainValue(one, own, member)]);
	const isKey = "key_id" in value; // introspection: each side has a different name for the key
	return Object.fromEntries(isKey ? members.filter(([member]) => member !== "name") : members);
}

function plainMember(name: string, value: string, own: Own): string {
	if (name === "expires_at" && !Number.isNaN(Date.parse(value)))
		return `in ${Math.round((Date.parse(value) - own.now) / MS_PER_MINUTE)} minutes`;
	return PLAIN_MEMBERS[name] ?? plainText(value, own);
}

function plainText(text: string, { ids, texts }: Own): string {
	let plain = text;
	for (const [from, to] of texts) plain = plain.replaceAll(from, to);
	return plain
		.replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "a time")
		.replace(/cursor=[\w-]+/g, "cursor=a cursor")
		.replace(/evt_[0-9a-f]+/g, "an event")
		.replace(/SBX\d{12}/g, "a parcel")
		.replace(/\b[0-9a-f]{64}\b/g, "a digest")
		.replace(/sha256-[\w+/=]+/g, "a digest")
		.replace(ID, (id) => {
			const known = ids.get(id) ?? `id ${ids.size + 1}`;
			ids.set(id, known);
			return known;
		});
}
