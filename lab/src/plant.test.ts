import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../service/src/partners/keys/key-ring.ts";
import { openTestDatabase, startProcess } from "../../service/test/house.ts";
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

	it("are planted in a copy that serves, and whose commands work", async () => {
		const folder = await mkdtemp(path.join(tmpdir(), "holdfast-plant-"));
		const database = await openTestDatabase();
		try {
			await plant({ name: "none", says: "", edits: [], faults: [], minutes: 0 }, folder);
			const env = {
				HOLDFAST_DATABASE_URL: database.url,
				HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
				HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
				HOLDFAST_PORT: "0",
				HOLDFAST_COA_PORT: "0",
				HOLDFAST_ADMIN_SOCKET: path.join(folder, "admin.sock"),
			};
			const launcher = path.join(folder, "cli/bin/holdfast.js");
			const node = await startProcess(env, launcher);
			expect((await fetch(`${node.api}/readyz`)).status).toBe(200);
			const { stdout } = await promisify(execFile)(process.execPath, [launcher, "keys", "list", "--json"], { env });
			expect(JSON.parse(stdout)).toMatchObject({ items: [] });
			await node.stop();
		} finally {
			await database.close();
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
