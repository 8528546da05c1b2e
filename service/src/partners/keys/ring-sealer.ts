import {
	createCipheriv,
	createDecipheriv,
	createHmac,
	createSecretKey,
	hkdfSync,
	type KeyObject,
	randomBytes,
} from "node:crypto";
import type { Sealer } from "../admin/sealer.ts";
import type { KeyRing } from "./key-ring.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";

/** Each `use` has its own keys: a text sealed for one use reveals nothing about the texts of another. */
export function createSealer(ring: KeyRing, use: string): Sealer {
	const keyOf = (entry: KeyObject): KeyObject => derived(entry, use);
	const find = (ringId: string) => ring.peppers.find((one) => one.id === ringId);
	return {
		seal(id, text) {
			const nonce = randomBytes(NONCE_BYTES);
			const cipher = createCipheriv(CIPHER, keyOf(ring.current.key), nonce).setAAD(Buffer.from(id));
			const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
			return { ringId: ring.current.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), bytes]) };
		},
		open(id, { ringId, sealed }) {
			const entry = find(ringId);
			if (entry === undefined) return null;
			try {
				const decipher = createDecipheriv(CIPHER, keyOf(entry.key), sealed.subarray(0, NONCE_BYTES))
					.setAAD(Buffer.from(id))
					.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
				const bytes = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
				return Buffer.concat([bytes, decipher.final()]).toString("utf8");
			} catch {
				return null;
			}
		},
		digest(id, value, ringId = ring.current.id) {
			const entry = find(ringId);
			if (entry === undefined) return null;
			const key = derived(entry.key, `${use}: digests`);
			return createHmac("sha256", key).update(`${id}\0`).update(value).digest();
		},
	};
}

/** Derived keys by ring entry and use, kept because texts are opened repeatedly. */
const DERIVED = new WeakMap<KeyObject, Map<string, KeyObject>>();

function derived(entry: KeyObject, use: string): KeyObject {
	const known = DERIVED.get(entry) ?? new Map<string, KeyObject>();
	DERIVED.set(entry, known);
	const key = known.get(use) ?? createSecretKey(Buffer.from(hkdfSync("sha256", entry.export(), "", use, KEY_BYTES)));
	known.set(use, key);
	return key;
}
