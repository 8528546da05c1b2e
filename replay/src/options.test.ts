import { expect, test } from "vitest";
import { blows } from "./killer.ts";
import { readOptions } from "./options.ts";
import { percentile } from "./tally.ts";

test("a file is enough; the rest has defaults", () => {
	expect(readOptions(["a.csv.gz"])).toMatchObject({
		file: "a.csv.gz",
		seed: 1,
		limit: Number.POSITIVE_INFINITY,
		inFlight: 64,
		kill: 0,
		fast: false,
		service: null,
	});
});

test.each([
	[[], "name one FILE"],
	[["a", "b"], "name one FILE"],
	[["a", "--kill", "many"], '--kill: a whole number from 0 to 100, not "many"'],
	[["a", "--in-flight", "0"], "--in-flight: a whole number from 1"],
	[["a", "--url", "http://x"], "--url and --keys must be given together"],
	[["a", "--url", "http://x", "--keys", "k", "--kill", "1"], "--kill ends processes of the replay's own service"],
	[
		["a", "--url", "http://x", "--keys", "k", "--fulfil"],
		"--fulfil works in the warehouse of the replay's own service",
	],
	[["a", "--speed", "9"], "--speed"],
])("%j is refused with what is wrong", (args, message) => {
	expect(() => readOptions(args)).toThrow(message);
});

test("five kills are five of the service and five of PostgreSQL, some of both at once", () => {
	const plan = blows(5);
	expect(plan.filter((blow) => blow !== "postgres")).toHaveLength(5);
	expect(plan.filter((blow) => blow !== "service")).toHaveLength(5);
	expect(plan.filter((blow) => blow === "both")).toHaveLength(2);
});

test("a percentile is one of the values, and 0 of none", () => {
	const values = Array.from({ length: 100 }, (_, i) => 100 - i);
	expect([0, 0.5, 0.99, 1].map((p) => percentile(values, p))).toEqual([1, 51, 100, 100]);
	expect(percentile([], 0.5)).toBe(0);
});
