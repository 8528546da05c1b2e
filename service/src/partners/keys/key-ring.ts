import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { must } from "../../ground/lib/assert.ts";

interface Pepper {
	readonly id: string;
	readonly key: KeyObject;
}

/** The peppers under which secrets are stored. The first is current; older ones stay until no secret uses them. */
export interface KeyRing {
	readonly current: Pepper;
	readonly peppers: readonly Pepper[];
}

const PEPPER_BYTES = 32;
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** Parses the value of HOLDFAST_SECRET_KEYS: `<id>:<base64 of 32 bytes>,…`. Errors do not contain the secret. */
export function parseKeyRing(text: string): KeyRing {
	const peppers = text.split(",").map((entry, index) => {
		const match = ENTRY.exec(entry.trim());
		if (match === null) throw new Error(`entry ${index + 1} of the key ring is not <id>:<base64 of 32 bytes>`);
		const [, id = "", secret = ""] = match;
		return { id, key: createSecretKey(Buffer.from(secret, "base64")) };
	});
	if (new Set(peppers.map(({ id }) => id)).size < peppers.length)
		throw new Error("two entries of the key ring share an id");
	return { current: must(peppers[0], "the current pepper"), peppers };
}

/** A new entry for the ring, as `holdfast secrets generate` prints it. */
export function newKeyRingEntry(): string {
	return `${randomBytes(4).toString("hex")}:${randomBytes(PEPPER_BYTES).toString("base64")}`;
}

/** The stored form of a secret: HMAC-SHA-256 under a pepper. */
export function digestOf(sk: string, pepper: Pepper): Buffer {
	return createHmac("sha256", pepper.key).update(sk).digest();
}
