import { describe, expect, it } from "vitest";
import { VARIABLES } from "../src/config.ts";
import { ERROR_STATUS } from "../src/glossary.ts";
import type { Operation } from "../src/http/operation.ts";
import {
	brokenLinks,
	configurationProblems,
	errorPageProblems,
	readDocuments,
	readOperations,
	readPages,
} from "./tidy/documents.ts";
import { EXAMPLES } from "./tidy/examples.ts";
import { RULES, type Rule } from "./tidy/rules.ts";
import { parse, readHouse, readText, type Source } from "./tidy/source.ts";

const CONFIGURATION = "docs/operator/configuration.md";

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

describe("The documents are true", () => {
	it("every error code has a status, a page, and an operation that declares it or a word that it is for later", async () => {
		expect(errorPageProblems(readPages("docs/errors"), await readOperations())).toEqual([]);
	});

	it("every link to a file of the repository leads to one", () => {
		expect(readDocuments().flatMap(brokenLinks)).toEqual([]);
	});

	it("the configuration table lists every variable that is read and no other", () => {
		const page = { path: CONFIGURATION, text: readText(CONFIGURATION) };
		expect(configurationProblems(page, Object.keys(VARIABLES))).toEqual([]);
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

	it("an error page that is missing, unknown, or wrong about status or operations is named", () => {
		const reserve = { method: "POST", path: "/api/v1/reserve", errors: ["no_inventory"] } as unknown as Operation;
		const pages = Object.keys(ERROR_STATUS)
			.filter((code) => code !== "gone")
			.map((code) => ({
				path: `docs/errors/${code}.md`,
				text: `**Status 409.** Reserved for orders\n"code": "${code}"`,
			}));
		const problems = errorPageProblems([...pages, { path: "docs/errors/oops.md", text: "" }], [reserve]);
		expect(problems).toContain("docs/errors/gone.md is missing");
		expect(problems).toContain("docs/errors/oops.md:1 describes no code of ERROR_STATUS");
		expect(problems).toContain("docs/errors/forbidden.md:3 does not give the status 403");
		expect(problems).toContain("docs/errors/no_inventory.md:3 does not name POST /api/v1/reserve");
		expect(problems).toContain(
			'docs/errors/no_inventory.md:3 must not say "Reserved for orders": an operation answers it',
		);
		expect(problems).toContain("docs/errors/README.md does not list retry");
		expect(problems.filter((problem) => problem.includes("hold_race.md:"))).toEqual([]);
	});

	it("a broken link and a variable that is missing or made up are named", () => {
		const page = { path: "docs/x.md", text: "see [a](../README.md)\nand [b](nowhere.md#part)\n| `HOLDFAST_OLD` |" };
		expect(brokenLinks(page)).toEqual(["docs/x.md:2 links to nowhere.md, which does not exist"]);
		expect(configurationProblems(page, ["HOLDFAST_NEW"])).toEqual([
			"docs/x.md leaves out HOLDFAST_NEW",
			"docs/x.md lists HOLDFAST_OLD, which nothing reads",
		]);
	});
});
