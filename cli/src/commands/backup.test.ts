import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { giveFreeName } from "./backup.ts";

it.each([
	["with second names", undefined],
	["without second names", () => Promise.reject(Object.assign(new Error("not permitted"), { code: "EPERM" }))],
])("On a file system %s, a complete backup gets its name, and replaces no file", async (_what, link) => {
	const folder = await mkdtemp(join(tmpdir(), "holdfast-backup-name-"));
	const [half, file] = [join(folder, "half"), join(folder, "whole.tar")];
	await writeFile(half, "all of it", { mode: 0o600 });
	await giveFreeName(half, file, link);
	expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual(["all of it", 0o600]);
	await writeFile(half, "another");
	await expect(giveFreeName(half, file, link)).rejects.toThrow("already exists");
	expect(await readFile(file, "utf8")).toBe("all of it");
	await rm(folder, { recursive: true });
});
