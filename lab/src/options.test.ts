import { expect, it } from "vitest";
import { readOptions } from "./options.ts";

it("reads minutes, seed and kinds of fault, and draws a seed when none is given", () => {
	expect(readOptions(["--minutes", "0.5", "--seed", "7", "--faults", "a,b"])).toMatchObject({
		minutes: 0.5,
		seed: 7,
		faults: ["a", "b"],
		bug: null,
		allBugs: false,
		atOnce: 1,
		keep: false,
	});
	expect(readOptions([])).toMatchObject({ minutes: null, faults: null });
	expect(readOptions(["--faults", "none"])).toMatchObject({ faults: [] });
});

it.each([
	["--at-once", "0"],
	["--minutes", "0"],
	["--minutes", "x"],
	["--seed", "-1"],
	["--seed", "1.5"],
	["--sneeze"],
])("refuses %s %s", (...args) => {
	expect(() => readOptions(args)).toThrow();
});

it("answers null when help is asked for", () => {
	expect(readOptions(["--help"])).toBeNull();
});
