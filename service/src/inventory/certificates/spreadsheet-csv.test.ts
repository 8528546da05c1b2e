import { expect, it } from "vitest";
import { spreadsheetCsv } from "./spreadsheet-csv.ts";

it("CSV for a spreadsheet quotes what must be quoted and disarms what looks like a formula", () => {
	expect(
		spreadsheetCsv(
			["a", "b"],
			[
				{ a: "x,y", b: 'say "hi"' },
				{ a: "-1", b: -1 },
				{ a: null, b: "\tx" },
				{ a: "\n=1", b: 2 },
				{ a: "x\n=1", b: "x\r=1" },
			],
		),
	).toBe(`a,b\r\n"x,y","say ""hi"""\r\n'-1,-1\r\n,'\tx\r\n"'\n=1",2\r\n"x\n=1","x\r=1"\r\n`);
});
