import { describe, expect, it } from "vitest";
import { newKeyRingEntry, parseKeyRing } from "../keys/key-ring.ts";
import { newWebhookSecret, openSecret, sealSecret } from "./secret.ts";

const ID = "0199f0a0-0000-7000-8000-000000000001";
const [one, two] = [newKeyRingEntry(), newKeyRingEntry()];
const ring = parseKeyRing(one);

describe("A sealed secret", () => {
	it("opens under the entry it was sealed with, also when that is no longer the current one", () => {
		const secret = newWebhookSecret();
		const sealed = sealSecret(ring, ID, secret);
		expect(openSecret(ring, sealed)).toBe(secret);
		expect(openSecret(parseKeyRing(`${two},${one}`), sealed)).toBe(secret);
		expect(sealed.sealed.includes(secret)).toBe(false);
	});

	it("is never sealed alike twice", () => {
		const secret = newWebhookSecret();
		expect(sealSecret(ring, ID, secret).sealed.equals(sealSecret(ring, ID, secret).sealed)).toBe(false);
	});

	it("does not open under another ring, in another row, or with any of its bytes changed", () => {
		const sealed = sealSecret(ring, ID, newWebhookSecret());
		expect(openSecret(parseKeyRing(two), sealed)).toBeNull();
		expect(openSecret(parseKeyRing(two), { ...sealed, ringId: parseKeyRing(two).current.id })).toBeNull();
		expect(openSecret(ring, { ...sealed, secretId: ID.replace("01", "02") })).toBeNull();
		for (let at = 0; at < sealed.sealed.length; at++) {
			const bytes = Buffer.from(sealed.sealed);
			bytes[at] = (bytes[at] ?? 0) ^ 1;
			expect(openSecret(ring, { ...sealed, sealed: bytes })).toBeNull();
		}
		expect(openSecret(ring, { ...sealed, sealed: Buffer.alloc(3) })).toBeNull();
	});
});
