import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newKeyRingEntry } from "./key-ring.ts";
import { loadKeyRing } from "./load-key-ring.ts";

let dataDir: string;
beforeEach(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "holdfast-ring-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const embedded = () => ({ secretKeys: null, databaseUrl: null, dataDir });

test("with the embedded database the ring is made once, readable by its owner alone, and the same ever after", async () => {
	const rings = await Promise.all([1, 2, 3, 4].map(() => loadKeyRing(embedded())));
	const again = await loadKeyRing(embedded());
	for (const ring of rings) {
		expect(ring.current.id).toBe(again.current.id);
		expect(ring.current.key.equals(again.current.key)).toBe(true);
	}
	expect((await stat(join(dataDir, "secret-keys"))).mode & 0o777).toBe(0o600);
});

test("a database of the operator's own without a configured ring is refused, with the command that makes one", async () => {
	const settings = { ...embedded(), databaseUrl: "postgresql://db/holdfast" };
	await expect(loadKeyRing(settings)).rejects.toThrow(/HOLDFAST_SECRET_KEYS.*npm run -s holdfast -- secrets generate/);
});

test("a broken ring is refused without repeating any of it", async () => {
	const secret = newKeyRingEntry().slice(0, -3);
	const broken = loadKeyRing({ ...embedded(), secretKeys: secret });
	await expect(broken).rejects.toThrow("HOLDFAST_SECRET_KEYS: entry 1");
	await expect(broken).rejects.not.toThrow(secret.slice(9, 20));
	await writeFile(join(dataDir, "secret-keys"), "cut of");
	await expect(loadKeyRing(embedded())).rejects.toThrow(join(dataDir, "secret-keys"));
});

test("the first key of a configured ring is the current one", async () => {
	const [first, second] = [newKeyRingEntry(), newKeyRingEntry()];
	const ring = await loadKeyRing({ ...embedded(), secretKeys: `${first},${second}` });
	expect(ring.current.id).toBe(first.split(":")[0]);
	expect(ring.peppers).toHaveLength(2);
});
