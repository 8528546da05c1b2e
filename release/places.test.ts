import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, readText } from "../service/test/tidy/source.ts";
import { hasVersion, setVersion } from "./places.ts";

describe("The version of a release", () => {
	it.each([
		[
			"package.json",
			'{\n\t"version": "0.1.0",\n\t"x": { "version": "0.1.0" }\n}',
			'{\n\t"version": "0.2.0",\n\t"x": { "version": "0.1.0" }\n}',
		],
		[
			"cli/package.json",
			'\t\t"@holdfast/service": "0.1.0",\n\t\t"left": "0.1.0"',
			'\t\t"@holdfast/service": "0.2.0",\n\t\t"left": "0.1.0"',
		],
		["sdk/src/client/version.ts", 'export const VERSION = "0.1.0";', 'export const VERSION = "0.2.0";'],
		[
			"package-lock.json",
			'{\n\t"version": "0.1.0",\n\t\t"cli": {\n\t\t\t"version": "0.1.0",\n\t\t"node_modules/a": {\n\t\t\t"version": "0.1.0",',
			'{\n\t"version": "0.2.0",\n\t\t"cli": {\n\t\t\t"version": "0.2.0",\n\t\t"node_modules/a": {\n\t\t\t"version": "0.1.0",',
		],
	])("is set in %s", (file, text, changed) => {
		expect(hasVersion(file)).toBe(true);
		expect(setVersion(file, text, "0.1.0", "0.2.0")).toBe(changed);
	});

	it.each(["fixtures/receivers/node/package.json", "README.md", "tsconfig.json"])("is not in %s", (file) => {
		expect(hasVersion(file)).toBe(false);
	});

	it.skipIf(!existsSync(join(ROOT, ".git")))("is the same in every file that has it, and each would be changed", () => {
		const { version } = JSON.parse(readText("package.json")) as { version: string };
		const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n").filter(hasVersion);
		expect(files.length).toBeGreaterThan(9);
		const unchanged = files.filter((file) => setVersion(file, readText(file), version, "9.9.9") === readText(file));
		expect(unchanged).toEqual([]);
	});
});
