import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { Sealed } from "../admin/sealer.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { createSealer } from "../keys/ring-sealer.ts";

/** Bytes of a secret: Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = "whsec_";
/** Separates the keys under which secrets of webhooks are encrypted from all others. */
const USE = "holdfast webhook secrets";

export interface SealedSecret extends Sealed {
	readonly secretId: string;
}

/** A new secret in the form its partner gets, shown only once. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The signing key. A KeyObject, because signing with a Buffer costs six times as much. */
export const signingKeyOf = (secret: string): KeyObject =>
	createSecretKey(Buffer.from(secret.slice(PREFIX.length), "base64"));

/** Encrypts a secret under the current entry of the ring, bound to its `secretId`, so that rows cannot be exchanged. */
export const sealSecret = (ring: KeyRing, secretId: string, secret: string): SealedSecret => ({
	secretId,
	...createSealer(ring, USE).seal(secretId, secret),
});

/** The secret; null if the ring no longer has its entry, or the row was tampered with. */
export const openSecret = (ring: KeyRing, { secretId, ...sealed }: SealedSecret): string | null =>
	createSealer(ring, USE).open(secretId, sealed);
