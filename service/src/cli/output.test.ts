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

it("what a partner wrote stays in its cell: it breaks no line and commands no terminal", () => {
	const note = "ring\ntwice \u001b[2J\u009b1m \u202eevil";
	expect(table(["NOTE"], [[note]])).toBe("NOTE\nring\\ntwice \\u001b[2J\\u009b1m \\u202eevil");
	expect(table(["NAME"], [["Zoë 👩‍🔬 اسم"]])).toBe("NAME\nZoë 👩‍🔬 اسم");
});
