import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { KeyRing } from "../keys/key-ring.ts";

/** Bytes of a secret: Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = "whsec_";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";

/** A secret as stored. */
export interface SealedSecret {
	readonly secretId: string;
	/** The entry of the key ring that encrypts it. */
	readonly ringId: string;
	readonly sealed: Buffer;
}

/** A new secret in the form its partner gets, shown only once. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The signing key. A KeyObject, because signing with a Buffer costs six times as much. */
export const signingKeyOf = (secret: string): KeyObject =>
	createSecretKey(Buffer.from(secret.slice(PREFIX.length), "base64"));

/** Encrypts a secret under the current entry of the ring, bound to its `secretId`, so that rows cannot be exchanged. */
export function sealSecret({ current }: KeyRing, secretId: string, secret: string): SealedSecret {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, keyFrom(current.key), nonce).setAAD(Buffer.from(secretId));
	const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
	return { secretId, ringId: current.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
}

/** The secret; null if the ring no longer has its entry, or the row was tampered with. */
export function openSecret({ peppers }: KeyRing, { secretId, ringId, sealed }: SealedSecret): string | null {
	const entry = peppers.find(({ id }) => id === ringId);
	if (entry === undefined) return null;
	try {
		const decipher = createDecipheriv(CIPHER, keyFrom(entry.key), sealed.subarray(0, NONCE_BYTES))
			.setAAD(Buffer.from(secretId))
			.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
		const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
		return Buffer.concat([text, decipher.final()]).toString("utf8");
	} catch {
		return null;
	}
}

/** Derived keys by entry, because secrets are opened repeatedly. */
const DERIVED = new WeakMap<KeyObject, KeyObject>();

/** A derived key, so that digests of other secrets reveal nothing about this one. */
function keyFrom(entry: KeyObject): KeyObject {
	const known = DERIVED.get(entry);
	if (known !== undefined) return known;
	const bytes = hkdfSync("sha256", entry.export(), "", "holdfast webhook secrets", KEY_BYTES);
	const key = createSecretKey(Buffer.from(bytes));
	DERIVED.set(entry, key);
	return key;
}
