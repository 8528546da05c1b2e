import { describe, expect, it } from "vitest";
import { listed, shorten, table, tableOf } from "./output.ts";

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

it("an empty list says so, and one that has more says how to see it", () => {
	const show = (items: readonly string[]): string => items.join();
	expect(listed({ items: [], next_cursor: null }, "No lots.", "--brand", show)).toBe("No lots.");
	expect(listed({ items: ["a"], next_cursor: null }, "No lots.", "--brand", show)).toBe("a");
	const cut = { items: ["a"], next_cursor: "b" };
	expect(listed(cut, "No lots.", "--brand", show)).toBe("a\n… and more: narrow it with --brand, or raise --limit.");
	expect(listed(cut, "No lots.", null, show)).toBe("a\n… and more: raise --limit.");
});

it("what a partner wrote stays in its cell: it breaks no line and commands no terminal", () => {
	const note = "ring\ntwice \u001b[2J\u009b1m \u202eevil";
	expect(table(["NOTE"], [[note]])).toBe("NOTE\nring\\ntwice \\u001b[2J\\u009b1m \\u202eevil");
	expect(table(["NAME"], [["Zoë 👩‍🔬 اسم"]])).toBe("NAME\nZoë 👩‍🔬 اسم");
});

it("a table of things has a column for each member or function that is given, with its heading", () => {
	const lots = [
		{ code: "A", units: 7, gone: null },
		{ code: "B", units: 12, gone: "yes" },
	];
	expect(tableOf(lots, { LOT: "code", UNITS: "units", TWICE: ({ units }) => units * 2, GONE: "gone" })).toBe(
		["LOT  UNITS  TWICE  GONE", "A        7     14  -", "B       12     24  yes"].join("\n"),
	);
});

describe("a table", () => {
	const ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";
	const AT = new Date("2026-11-24T09:15:03.123Z");

	it("shows times in the operator's zone, to the second, and names the zone once", () => {
		process.env["HOLDFAST_TIME_ZONE"] = "Asia/Tokyo";
		try {
			expect(
				table(
					["PLACED", "N"],
					[
						[AT, 1],
						["2026-11-24T23:59:59Z (past)", 2],
					],
				).split("\n"),
			).toEqual(["PLACED (GMT+9)              N", "2026-11-24 18:15:03         1", "2026-11-25 08:59:59 (past)  2"]);
			expect(table(["", ""], [["held", AT]]).trim()).toBe("held  2026-11-24 18:15:03 GMT+9");
		} finally {
			delete process.env["HOLDFAST_TIME_ZONE"];
		}
	});

	it("fits a terminal: what is empty goes first, then long texts are cut; ids, numbers, times and figures never are", () => {
		const long = "a very long note of a partner ".repeat(9);
		const rows = [[ID, AT, 7, null, long, "1Z999AA10123456784"]];
		const headings = ["ORDER", "PLACED", "UNITS", "NOTHING", "NOTE", "LAST"];
		const [heading = "", row = ""] = table(headings, rows, 120).split("\n");
		expect(heading).not.toContain("NOTHING");
		expect(row.length).toBe(120);
		expect(row).toMatch(
			new RegExp(`^${ID}  2026-11-24 \\S+ +7  a very long note of a partner .*…  1Z999AA10123456784$`),
		);
		expect(table(headings, rows), "in a file it is whole").toContain(long.trimEnd());
		expect(table(["A", "NOTHING"], [["x", null]])).toBe("A  NOTHING\nx  -");
	});

	it("whose ids alone are wider shows them whole", () => {
		const line = table(["A", "B", "C", "D"], [[ID, ID, ID, ID]], 120).split("\n")[1];
		expect(line).toBe([ID, ID, ID, ID].join("  "));
	});
});
