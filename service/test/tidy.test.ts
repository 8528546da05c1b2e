import { describe, expect, it } from "vitest";
import { EXAMPLES } from "./tidy/examples.ts";
import { RULES, type Rule } from "./tidy/rules.ts";
import { parse, readHouse, type Source } from "./tidy/source.ts";

/** One offence as a line that says where, what and why: the whole failure message. */
const report = (rule: Rule, source: Source): string[] =>
	rule.find(source).map(({ line, what }) => `${source.path}:${line} ${what} (rule: ${rule.name}; ${rule.why})`);

describe("The house keeps its rules", () => {
	const house = readHouse();

	it("is read whole", () => {
		expect(house.map(({ path }) => path)).toContain("service/src/stock/move.ts");
		expect(house.map(({ path }) => path)).toContain("service/test/tidy.test.ts");
	});

	it.for(RULES)("$name", (rule) => {
		expect(house.flatMap((source) => report(rule, source))).toEqual([]);
	});
});

describe("Every rule can fail", () => {
	it.for(RULES)("$name: the examples hold one that breaks it", ({ name }) => {
		expect(EXAMPLES.filter(({ rule, line }) => rule === name && line !== undefined)).not.toEqual([]);
	});

	it.for(EXAMPLES)("$rule: $path: $text", ({ rule: name, path, text, line }) => {
		const rule = RULES.find((one) => one.name === name);
		expect(rule, `no rule is called "${name}"`).toBeDefined();
		const lines = rule?.find(parse(path, text)).map((found) => found.line);
		expect(lines).toEqual(line === undefined ? [] : [line]);
	});
});
