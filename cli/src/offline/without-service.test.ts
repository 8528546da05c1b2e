import { execFile } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openDataPlace } from "../../../service/test/data-folder.ts";
import { holdfastAlone } from "../../../service/test/processes/holdfast.ts";

describe("The holdfast command, with the embedded PostgreSQL", () => {
	it("works without a service: starts the database, does its work and stops it again", async () => {
		const folder = await openDataPlace("cli");
		const env = { HOLDFAST_DATA_DIR: folder, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" };
		try {
			expect((await holdfastAlone(["migrate", "--json"], env)).json.migrated.length).toBeGreaterThan(4);
			expect((await holdfastAlone(["migrate", "--json"], env)).json.migrated).toEqual([]);
			const minted = await holdfastAlone(
				[
					"keys",
					"mint",
					"--name",
					"a",
					"--partner",
					"P",
					"--environment",
					"sandbox",
					"--preset",
					"read_only",
					"--json",
				],
				env,
			);
			expect(minted.json.token).toMatch(/^pk_hf_sandbox_/);
			expect((await holdfastAlone(["keys", "list", "--json"], env)).json.items).toHaveLength(1);
			expect(await holdfastAlone(["doctor"], env)).toMatchObject({ code: 0 });
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});

describe("What is to be typed next is said by the name with which the command was called", () => {
	it.each([
		["holdfast", "holdfast keys list"],
		["holdfast.js", "npm run -s holdfast -- keys list"],
	])("called as %s: %s", async (name, said) => {
		const folder = await openDataPlace("called");
		const called = join(folder, name);
		await symlink(join(import.meta.dirname, "../../bin/holdfast.js"), called);
		const { stdout } = await promisify(execFile)(process.execPath, [called, "keys", "list", "--help"]);
		expect(stdout).toContain(`  $ ${said}`);
		await rm(folder, { recursive: true });
	});
});
