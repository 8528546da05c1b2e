import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { requireDocuments } from "../../service/src/partners/http/docs/guides.ts";
import { BUGS } from "./bugs.ts";
import { FAULTS } from "./faults/faults.ts";
import { edited, plant, SERVICE } from "./plant.ts";

/** The bugs that the lab must be able to plant, whatever else is added. */
const LEAST_BUGS = 30;

describe("planted bugs", () => {
	it.each(BUGS)("$name has its place in the service, exactly once", async ({ name, edits }) => {
		for (const edit of edits) {
			const text = await readFile(path.join(SERVICE, edit.file), "utf8");
			expect(edited(text, edit, name)).not.toBe(text);
		}
	});

	it("are planted in a copy that has everything a service needs to start", async () => {
		const folder = await mkdtemp(path.join(tmpdir(), "holdfast-plant-"));
		try {
			const [bug] = BUGS;
			if (bug === undefined) throw new Error("there are no bugs");
			await plant(bug, folder);
			expect(() => requireDocuments(folder)).not.toThrow();
			expect(await readdir(path.join(folder, "node_modules"))).toContain("pg");
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});

	it("are at least thirty, each of its own name, and brought out by faults that exist", () => {
		expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
		expect(BUGS.length).toBeGreaterThanOrEqual(LEAST_BUGS);
		const kinds = FAULTS.map(({ name }) => name);
		expect(BUGS.flatMap(({ faults }) => faults).filter((name) => !kinds.includes(name))).toEqual([]);
	});

	it("are refused where the code has moved, by name of the bug and the file", () => {
		const edit = { file: "src/x.ts", find: "lock", replace: "" };
		expect(() => edited("nothing of it", edit, "some-bug")).toThrow(/some-bug.* 0 times in .*src\/x\.ts/);
		expect(() => edited("lock lock", edit, "some-bug")).toThrow(/some-bug.* 2 times in .*src\/x\.ts/);
	});
});
