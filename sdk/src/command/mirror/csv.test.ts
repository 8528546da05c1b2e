import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsOf } from "./csv.ts";

describe("A CSV text", () => {
	it.each([
		["", []],
		["a,b", [[1, "a", "b"]]],
		[
			"a,b\n1,2\n",
			[
				[1, "a", "b"],
				[2, "1", "2"],
			],
		],
		[
			"a,b\r\n1,2\r\n",
			[
				[1, "a", "b"],
				[2, "1", "2"],
			],
		],
		[
			"\uFEFFa,b\n1,",
			[
				[1, "a", "b"],
				[2, "1", ""],
			],
		],
		[
			"a;b\n1;2,5",
			[
				[1, "a", "b"],
				[2, "1", "2,5"],
			],
		],
		[
			"a\tb\n1\t2",
			[
				[1, "a", "b"],
				[2, "1", "2"],
			],
		],
		[
			'a,b\n"x, ""y""\nz",2\n3,4',
			[
				[1, "a", "b"],
				[2, 'x, "y"\nz', "2"],
				[4, "3", "4"],
			],
		],
		[
			"a\n\n \n1\n",
			[
				[1, "a"],
				[4, "1"],
			],
		],
		["a,b\n,\n", [[1, "a", "b"]]],
		[
			'a,b\nvial 3", 5 ml,x"y"',
			[
				[1, "a", "b"],
				[2, 'vial 3"', " 5 ml", 'x"y"'],
			],
		],
	] as const)("%j", (text, rows) => {
		expect(rowsOf(text).map(({ line, cells }) => [line, ...cells])).toEqual(rows);
	});

	it.each(['a\n"x"y', 'a\n"x', 'a\n"x,\n1'])("%j is refused with its line", (text) => {
		expect(() => rowsOf(text)).toThrow(/^line 2: a cell begins with a quotation mark/);
	});

	it("for every table: what was written is read", () => {
		const cell = fc.string({ unit: fc.constantFrom('"', ",", ";", "\n", "\r", "a", "1", " ") });
		const table = fc.array(
			fc.tuple(
				cell.map((text) => `x${text}`),
				cell,
			),
			{ minLength: 1 },
		);
		fc.assert(
			fc.property(table, (rows) => {
				const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
				const text = rows.map((cells) => cells.map(quoted).join(",")).join("\r\n");
				fc.pre(/^[^\r\n]*,/.test(text));
				expect(rowsOf(text).map(({ cells }) => cells)).toEqual(rows);
			}),
		);
	});
});
