import { expect, it } from "vitest";
import { shorten, table } from "./output.ts";

it("a table has any number of rows", () => {
	const many = 200_000;
	const rows = Array.from({ length: many }, (_, n) => [n, n === 7 ? "the widest of all" : "narrow"]);
	const lines = table(["N", "WHAT"], rows).split("\n");
	expect(lines).toHaveLength(many + 1);
	expect(lines[8]).toBe("     7  the widest of all");
});

it("a long list shows its first rows, and says how many more there are and where to see them", () => {
	expect(shorten(["a", "b"], 2, "lots")).toEqual({ shown: ["a", "b"], rest: [] });
	expect(shorten(["a", "b", "c"], 2, "lots")).toEqual({
		shown: ["a", "b"],
		rest: ["… and 1 more lots: --json lists all"],
	});
});
