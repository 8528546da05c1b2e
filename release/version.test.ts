import { expect, it } from "vitest";
import { versionProblem } from "./version.ts";

it.each<[version: string, current: string, versions: string[], problem: string | null]>([
	["0.1.0", "0.1.0", [], null], // the first release: its version stands in the packages from the beginning
	["0.2.0", "0.1.0", ["0.1.0"], null],
	["0.10.0", "0.9.0", ["0.9.0"], null],
	["1.0.0", "0.9.9", ["0.9.9"], null],
	["0.1.0", "0.1.0", ["0.1.0"], "There is a release 0.1.0 already."],
	["0.1.0", "0.2.0", [], "0.1.0 is before 0.2.0, which stands in the packages or was released."],
	["0.9.1", "0.9.0", ["0.10.0"], "0.9.1 is before 0.10.0, which stands in the packages or was released."],
	["v0.2.0", "0.1.0", [], '"v0.2.0" is no version: it has three numbers, such as 0.2.0.'],
	["0.2", "0.1.0", [], '"0.2" is no version: it has three numbers, such as 0.2.0.'],
	["0.2.0-rc.1", "0.1.0", [], '"0.2.0-rc.1" is no version: it has three numbers, such as 0.2.0.'],
])("%s after %s and releases %j: %s", (version, current, versions, problem) => {
	expect(versionProblem(version, { current, versions })).toBe(problem);
});
