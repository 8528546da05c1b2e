import { describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../partners/keys/key-ring.ts";
import { openKeyRing, sealKeyRing } from "./seal-key-ring.ts";

const PASSPHRASE = "correct horse battery";

describe("A key ring in a backup", () => {
	it("is opened by its passphrase alone, and shows nothing of itself", async () => {
		const ring = newKeyRingEntry();
		const sealed = JSON.stringify(await sealKeyRing(ring, PASSPHRASE));
		expect(sealed).not.toContain(ring.slice(0, 8));
		expect(await openKeyRing(sealed, PASSPHRASE)).toBe(ring);
		await expect(openKeyRing(sealed, `${PASSPHRASE}s`)).rejects.toThrow("the passphrase is wrong");
	});

	it("is refused when anything of it was changed", async () => {
		const sealed = await sealKeyRing(newKeyRingEntry(), PASSPHRASE);
		for (const field of ["tag", "sealed"] as const) {
			const bytes = Buffer.from(sealed[field], "base64");
			bytes[0] = (bytes[0] ?? 0) ^ 1;
			const changed = JSON.stringify({ ...sealed, [field]: bytes.toString("base64") });
			await expect(openKeyRing(changed, PASSPHRASE), field).rejects.toThrow("cannot be opened");
		}
	});

	it("is not put under a passphrase that can be guessed", async () => {
		await expect(sealKeyRing(newKeyRingEntry(), "too short")).rejects.toThrow("at least 12 characters");
	});
});
