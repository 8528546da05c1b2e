import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileStore, memoryStore } from "./store.ts";

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-store-"));
});
afterAll(async () => {
	await rm(folder, { recursive: true });
});

describe.each([
	["in memory", () => memoryStore()],
	["in a file", () => fileStore(join(folder, crypto.randomUUID(), "deep", "mirror.json"))],
])("A store %s", (_name, open) => {
	it("has nothing at first, and then what was saved last", async () => {
		const store = open();
		expect(await store.load()).toBeNull();
		await store.save("a longer first text");
		await store.save("the last");
		expect(await store.load()).toBe("the last");
	});
});

describe("A file", () => {
	it("is there for the next process, and nothing beside it", async () => {
		const path = join(folder, "next", "mirror.json");
		await fileStore(path).save("text");
		expect(await fileStore(path).load()).toBe("text");
		expect(await readdir(join(folder, "next"))).toEqual(["mirror.json"]);
	});

	it("is as before if a save was killed", async () => {
		const path = join(folder, "killed.json");
		const store = fileStore(path);
		await store.save("whole");
		await writeFile(`${path}.new`, "ha");
		expect(await store.load()).toBe("whole");
		await store.save("next");
		expect(await readFile(path, "utf8")).toBe("next");
	});

	it("that cannot be read or written is an error", async () => {
		const path = join(folder, "a-folder");
		await mkdir(path);
		await expect(fileStore(path).load()).rejects.toThrow("EISDIR");
		await expect(fileStore(path).save("text")).rejects.toThrow();
	});
});
