import { parseEnv } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withVariables } from "./dotenv.ts";

describe("A file of variables keeps everything that is not changed", () => {
	it.each([
		["", { A: "1" }, "A=1\n"],
		["X=y", { A: "1" }, "X=y\nA=1\n"],
		["X=y\n", { A: "1", B: "2" }, "X=y\nA=1\nB=2\n"],
		["# mine\n\nA=1\nX=y # why\n", { A: "1" }, "# mine\n\nA=1\nX=y # why\n"],
		["A=old\nX=y\n", { A: "1" }, "# A=old\nA=1\nX=y\n"],
		["A=\nX=y\n", { A: "1" }, "A=1\nX=y\n"],
		["X=y\r\nA=old\r\n", { A: "1" }, "X=y\r\n# A=old\r\nA=1\r\n"],
		["export A=old", { A: "1" }, "# export A=old\nA=1\n"],
		["A=one\nA=two\n", { A: "1" }, "# A=one\nA=1\n# A=two\n"],
		["A=1\nX=y\nA=1", { A: "1" }, "A=1\nX=y\n"],
		['P="-----\nA=old\n-----"\n', { A: "1" }, 'P="-----\nA=old\n-----"\nA=1\n'],
		['A="two\nlines"\nX=y\n', { A: "1" }, '# A="two\n# lines"\nA=1\nX=y\n'],
		["AA=1\nMY_A=2\n", { A: "1" }, "AA=1\nMY_A=2\nA=1\n"],
		["", { A: "with blank" }, 'A="with blank"\n'],
	] as const)("%j with %j", (text, variables, expected) => {
		expect(withVariables(text, variables)).toBe(expected);
	});

	const NAME = fc.constantFrom("A", "B", "C", "HOLDFAST_TOKEN");
	const VALUE = fc.string({ unit: fc.constantFrom(..."aZ09_:/.-"), minLength: 1, maxLength: 12 });
	const LINE = fc.oneof(
		fc.constantFrom("", "# comment", "words", "B", "=", "export A=1", 'B="open', "C='x\ny'", "\t", 'D="a" # b', "A="),
		fc.tuple(NAME, VALUE).map(([name, value]) => `${name}=${value}`),
	);

	it("for every text: the wanted variables are set, the others are as before, and a second time nothing changes", () => {
		fc.assert(
			fc.property(fc.array(LINE), fc.dictionary(NAME, VALUE), (lines, wanted) => {
				const text = lines.join("\n");
				const changed = withVariables(text, wanted);
				expect({ ...parseEnv(changed) }).toEqual({ ...parseEnv(text), ...wanted });
				expect(withVariables(changed, wanted)).toBe(changed);
			}),
		);
	});
});
