import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openS3Server, S3_KEY, type S3Server } from "../../../test/s3-server.ts";
import { type Digest, digestOf } from "./digest.ts";
import { type FileStore, openFileStore } from "./file-store.ts";

let folder: string;
let s3: S3Server;
const stores = new Map<string, FileStore>();
beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "holdfast-store-"));
	s3 = await openS3Server();
	vi.stubEnv("AWS_ACCESS_KEY_ID", S3_KEY.id);
	vi.stubEnv("AWS_SECRET_ACCESS_KEY", S3_KEY.secret);
	stores.set("a folder", openFileStore({ kind: "folder", path: path.join(folder, "deep", "coa") }));
	stores.set(
		"S3",
		openFileStore({ kind: "s3", bucket: "certificates", prefix: "acme/", region: null, endpoint: s3.endpoint }),
	);
});
afterAll(async () => {
	for (const store of stores.values()) store.close();
	vi.unstubAllEnvs();
	await s3.close();
	await rm(folder, { recursive: true });
});

const read = async (content: Readable | null): Promise<Buffer | null> => (content === null ? null : buffer(content));

describe.each(["a folder", "S3"])("A store in %s", (name) => {
	const store = (): FileStore => stores.get(name) as FileStore;

	it("gives back what was put, whole and in parts, and the same bytes again do no harm", async () => {
		const bytes = randomBytes(700_000);
		const digest = await store().put(bytes);
		expect(digest).toBe(digestOf(bytes));
		expect(await store().put(bytes)).toBe(digest);
		expect((await read(await store().open(digest, bytes.length)))?.equals(bytes)).toBe(true);
		const part = await read(await store().open(digest, bytes.length, { first: 299_999, last: 600_000 }));
		expect(part?.equals(bytes.subarray(299_999, 600_001))).toBe(true);
	});

	it("has nothing under a digest that nobody put, nor a file of another size", async () => {
		expect(await store().open("0".repeat(64) as Digest, 5)).toBeNull();
		const bytes = randomBytes(100);
		const digest = await store().put(bytes);
		expect(await store().open(digest, 101)).toBeNull();
	});

	it("has nothing of a file that was removed, and removing it again does no harm", async () => {
		const bytes = randomBytes(100);
		const digest = await store().put(bytes);
		await store().remove(digest);
		expect(await store().open(digest, bytes.length)).toBeNull();
		await store().remove(digest);
	});

	it("takes the same file from several at once", async () => {
		const bytes = randomBytes(50_000);
		const digests = await Promise.all(Array.from({ length: 8 }, () => store().put(bytes)));
		expect(new Set(digests)).toEqual(new Set([digestOf(bytes)]));
		expect((await read(await store().open(digestOf(bytes), bytes.length)))?.equals(bytes)).toBe(true);
	});
});

describe("A store in a folder", () => {
	it("writes a damaged file again, and leaves nothing half-made", async () => {
		const own = path.join(folder, "damaged");
		const store = openFileStore({ kind: "folder", path: own });
		const bytes = randomBytes(10_000);
		const digest = await store.put(bytes);
		const file = path.join(own, digest.slice(0, 2), `${digest}.pdf`);
		await truncate(file, 5_000);
		expect(await store.open(digest, bytes.length)).toBeNull();
		await store.put(bytes);
		expect((await read(await store.open(digest, bytes.length)))?.equals(bytes)).toBe(true);
		await writeFile(file, randomBytes(10_000));
		await store.put(bytes);
		expect((await read(await store.open(digest, bytes.length)))?.equals(bytes)).toBe(true);
		expect(await readdir(path.dirname(file))).toEqual([`${digest}.pdf`]);
	});

	it("says that it cannot write rather than that it did", async () => {
		const own = path.join(folder, "file-in-the-way");
		await writeFile(own, "");
		await expect(openFileStore({ kind: "folder", path: own }).put(randomBytes(10))).rejects.toThrow(/ENOTDIR|EEXIST/);
		await chmod(own, 0o644);
	});
});

describe("A store in S3", () => {
	it("signs every request, and one with a wrong secret is refused and said to be", async () => {
		expect(s3.refused).toEqual([]);
		expect([...s3.objects.keys()].every((key) => /^\/certificates\/acme\/[0-9a-f]{64}\.pdf$/.test(key))).toBe(true);
		vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another");
		const stranger = openFileStore({
			kind: "s3",
			bucket: "certificates",
			prefix: "",
			region: null,
			endpoint: s3.endpoint,
		});
		await expect(stranger.put(randomBytes(10))).rejects.toThrow("SignatureDoesNotMatch");
		expect(s3.refused).not.toEqual([]);
		stranger.close();
		vi.stubEnv("AWS_SECRET_ACCESS_KEY", S3_KEY.secret);
	});
});
