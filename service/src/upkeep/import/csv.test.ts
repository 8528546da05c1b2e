import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOneGo } from "../../ground/lib/paced.ts";
import { csvHeader, csvRow, takeCsv } from "./csv.ts";
import { emptyWorld } from "./entries.ts";

/** Rows of a file that is read in several parts. */
const ROWS = 6_000;
const read = (content: string) => {
	const world = emptyWorld();
	const problems = inOneGo(takeCsv(world, "brands", "brands.csv", content));
	return { brands: world.brands.map(({ entry }) => entry), lines: world.brands.map(({ at }) => at.spot), problems };
};

describe("A large file is read part by part", () => {
	it("with the same rows, whatever its cells contain", () => {
		const name = fc.stringMatching(/^[ab",;\n\t]{0,6}x$/);
		fc.assert(
			fc.property(fc.array(name, { minLength: 5, maxLength: 20 }), (names) => {
				const entries = Array.from({ length: ROWS }, (_, n) => ({
					code: `B${n}`,
					name: `${n} ${names[n % names.length]}`,
				}));
				const content = csvHeader("brands") + entries.map((entry) => csvRow("brands", entry)).join("");
				const { brands, problems } = read(content);
				expect(problems).toEqual([]);
				expect(brands).toEqual(entries);
			}),
			{ numRuns: 5 },
		);
	});

	it("and each problem names its line of the file", () => {
		const lines = Array.from({ length: ROWS }, (_, n) => (n % 1_000 === 999 ? `B${n}` : `B${n},"two\nlines"`));
		const { problems } = read(`code,name\n${lines.join("\n")}\n`);
		// every earlier row has two lines, except for those that lack a cell
		const expected = [999, 1_999, 2_999, 3_999, 4_999, 5_999].map((n) => 1 + 2 * n - Math.floor(n / 1_000) + 1);
		expect(problems.map(({ at }) => at)).toEqual(expected.map((line) => `brands.csv line ${line}`));
	});

	it("and a cell that may be left out may be empty, because it has no null", () => {
		const content = "formula,brand_code,batch_number,expires_on,units\nF,,B1,tomorrow,1\n";
		const messages = inOneGo(takeCsv(emptyWorld(), "lots", "lots.csv", content)).map(({ message }) => message);
		expect(messages).toEqual([expect.stringMatching(/, or empty/)]);
	});

	it("also where a quote is never closed: that is named, and nothing behind it is read", () => {
		const rows = Array.from({ length: ROWS }, (_, n) => `B${n},plain name number ${n}`);
		const { brands, problems } = read(`code,name\n${rows.join("\n")}\nBAD,"open\n${rows.join("\n")}\n`);
		expect(brands).toEqual(
			rows.map((row) => ({ code: row.split(",")[0], name: row.split(",")[1] })).slice(0, brands.length),
		);
		expect(problems).toEqual([
			expect.objectContaining({ message: expect.stringContaining("is not CSV: Quote Not Closed") as string }),
		]);
	});
});
