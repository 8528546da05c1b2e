import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { newSk } from "../../src/partners/keys/token.ts";
import { newWebhookSecret } from "../../src/partners/webhooks/secret.ts";
import { createFinder, SHORTEST_TRACE } from "./find.ts";
import { leaksInFile, leaksInFolder } from "./find-in-files.ts";
import { tracesOf } from "./secrets.ts";

/* The run's search for secrets, tested with secrets that are present. */

const [hook, pepper, sk] = [newWebhookSecret(), newKeyRingEntry(), newSk("live")];
const SECRETS = [
	[hook, "webhook"],
	[pepper, "pepper"],
	[sk, "key"],
	["correct-horse-battery-staple", "password"],
] as const;
const TRACES = SECRETS.flatMap(([secret, what]) => tracesOf(secret, what));
const finder = createFinder(TRACES);
/** Bytes without any secret. */
const NOISE = randomBytes(64 * 1024);

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-leaks-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const planted = (bytes: Buffer, at: number): Buffer =>
	Buffer.concat([NOISE.subarray(0, at), bytes, NOISE.subarray(at)]);

describe("A secret is found", () => {
	it.each(TRACES.map(({ what, bytes }) => [what, bytes] as const))("%s wherever it begins", (what, bytes) => {
		for (let at = 1_000; at < 1_033; at++) expect([...finder.find(planted(bytes, at))]).toEqual([what]);
		expect(finder.find(planted(bytes, 0)).has(what)).toBe(true);
		expect(finder.find(planted(bytes, NOISE.length)).has(what)).toBe(true);
	});

	it("in every form: what is stored of a webhook's secret or of the key ring is found as text, bytes, and both in hex", () => {
		expect(TRACES.map(({ what }) => what).filter((what) => /^(webhook|pepper)/.test(what))).toHaveLength(8);
		const bytes = Buffer.from(hook.slice("whsec_".length), "base64");
		for (const text of [hook, JSON.stringify({ a: hook.slice(6) }), `\\x${bytes.toString("hex")}`])
			expect(finder.find(Buffer.from(text)).size).toBeGreaterThan(0);
		expect(finder.find(Buffer.concat([NOISE, bytes, NOISE])).size).toBe(1);
	});

	it("though no test named it, by what secrets of partners look like", () => {
		const nobody = createFinder([]);
		for (const secret of [newSk("live"), newSk("sandbox"), newWebhookSecret()]) {
			expect(nobody.find(planted(Buffer.from(secret), 77)).size).toBe(1);
			expect(nobody.find(planted(Buffer.from(secret.slice(0, 20)), 77)).size).toBe(0);
		}
		expect(nobody.find(Buffer.from("sk_hf_live_…")).size).toBe(0);
	});

	it("across the border of two pieces of a file, wherever it is cut", async () => {
		const [path, chunk] = [join(folder, "data"), 256];
		for (const { what, bytes } of TRACES) {
			for (let before = 0; before <= bytes.length; before += 5) {
				await writeFile(path, planted(bytes, 4 * chunk - before));
				expect(leaksInFile(finder, path, chunk)).toEqual([`${what} lies in ${path}`]);
			}
		}
	});

	it("in a file of a folder, which is named, but not in one that is excepted", async () => {
		await writeFile(join(folder, "data"), NOISE);
		await writeFile(join(folder, "secret-keys"), pepper);
		expect(leaksInFolder(finder, folder)).toEqual([`pepper, as text, lies in ${join(folder, "secret-keys")}`]);
		expect(leaksInFolder(finder, folder, ["secret-keys"])).toEqual([]);
	});
});

describe("Nothing is found", () => {
	it("in other bytes, nor of a secret of which one byte is another", () => {
		expect(finder.find(NOISE).size).toBe(0);
		for (const { bytes } of TRACES) {
			const other = Buffer.from(bytes);
			other.writeUInt8((other.readUInt8(0) + 1) % 256, 0);
			expect(finder.find(planted(other, 500)).size).toBe(0);
		}
	});

	it("quietly of a secret that is too short: it is refused", () => {
		expect(() => createFinder([{ what: "short", bytes: Buffer.alloc(SHORTEST_TRACE - 1) }])).toThrow("short");
	});
});
