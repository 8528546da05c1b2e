import { expect, it } from "vitest";
import { toCsv } from "./recall-csv.ts";

it("CSV for a spreadsheet quotes what must be quoted and disarms what looks like a formula", () => {
	expect(
		toCsv(
			["a", "b"],
			[
				["x,y", 'say "hi"'],
				["-1", -1],
				[null, "\tx"],
				["\n=1", 2],
			],
		),
	).toBe(`a,b\r\n"x,y","say ""hi"""\r\n'-1,-1\r\n,'\tx\r\n"'\n=1",2\r\n`);
});
