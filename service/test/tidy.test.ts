import { describe, expect, it } from "vitest";
import { VARIABLES } from "../src/config.ts";
import { ERROR_STATUS } from "../src/glossary.ts";
import type { Operation } from "../src/partners/http/operation.ts";
import { unusedExceptions } from "./tidy/direction.ts";
import {
	brokenLinks,
	configurationProblems,
	doubledWords,
	errorPageProblems,
	readDocuments,
	readOperations,
	readPages,
	unlistedPages,
	unservedLinks,
} from "./tidy/documents.ts";
import { EXAMPLES } from "./tidy/examples.ts";
import { doubledTypeNames } from "./tidy/names.ts";
import { readReferring, readSections, referenceProblems, sectionsOf } from "./tidy/references.ts";
import { RULES, type Rule } from "./tidy/rules.ts";
import { parse, readHouse, readText, type Source } from "./tidy/source.ts";

const CONFIGURATION = "docs/operator/configuration.md";
const GLOSSARY = "docs/glossary.md";

/** One violation as a line with place, problem and reason: the whole failure message. */
const report = (rule: Rule, source: Source): string[] =>
	rule.find(source).map(({ line, what }) => `${source.path}:${line} ${what} (rule: ${rule.name}; ${rule.why})`);

const house = readHouse();

describe("The house keeps its rules", () => {
	it("is read whole", () => {
		expect(house.map(({ path }) => path)).toContain("service/src/inventory/stock/move.ts");
		expect(house.map(({ path }) => path)).toContain("service/test/tidy.test.ts");
	});

	it("makes no exception for statements that nothing uses", () => {
		expect(unusedExceptions(house)).toEqual([]);
	});

	it.for(RULES)("$name", (rule) => {
		expect(house.flatMap((source) => report(rule, source))).toEqual([]);
	});
});

describe("Names mean one thing", () => {
	it("no name of a type is exported by two files of the service", () => {
		expect(doubledTypeNames(house)).toEqual([]);
	});

	it("a name that two files export is named", () => {
		const look = "export interface Look { readonly at: number }";
		const two = ["partners/keys/refresh-keys.ts", "inventory/stock/reader.ts"].map((path) =>
			parse(`service/src/${path}`, look),
		);
		expect(doubledTypeNames(two)).toEqual([
			"Look is exported by service/src/partners/keys/refresh-keys.ts and service/src/inventory/stock/reader.ts",
		]);
		expect(doubledTypeNames(two.slice(1))).toEqual([]);
	});
});

describe("The documents are true", () => {
	it("every error code has a status, a page, and an operation that declares it or a word that it is for later", async () => {
		expect(errorPageProblems(readPages("docs/errors"), await readOperations())).toEqual([]);
	});

	it("every link to a file of the repository, or to a heading in it, leads to one", () => {
		expect(readDocuments().flatMap(brokenLinks)).toEqual([]);
	});

	it("every page of a folder is listed by its README, and what /docs shows leads only to what it shows", () => {
		const pages = readDocuments();
		expect(unservedLinks(pages)).toEqual([]);
		expect(["docs/partner", "docs/operator", "docs/errors"].flatMap((folder) => unlistedPages(pages, folder))).toEqual(
			[],
		);
	});

	it("every reference to the contract or its settlements names a section that exists", () => {
		const sections = readSections();
		expect(readReferring().flatMap((page) => referenceProblems(page, sections))).toEqual([]);
	});

	it("the glossary gives a word one meaning", () => {
		expect(doubledWords({ path: GLOSSARY, text: readText(GLOSSARY) })).toEqual([]);
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

	it("a page that nobody finds, and a guide that leads out of /docs, are named", () => {
		const pages = [
			{ path: "docs/partner/README.md", text: "[a](a.md)" },
			{ path: "docs/partner/a.md", text: "see [keys](../operator/keys.md#mint) and [b](b.md)" },
			{ path: "docs/partner/b.md", text: "" },
		];
		expect(unservedLinks(pages)).toEqual([
			"docs/partner/a.md links to docs/operator/keys.md, which /docs does not show",
		]);
		expect(unlistedPages(pages, "docs/partner")).toEqual(["docs/partner/README.md does not list b.md"]);
	});

	it("a link to a heading that is not there is named", () => {
		const text = "## 5. Two words\n[a](#5-two-words) [b](#6-three)\n[c](../README.md#run-it) [d](../README.md#walk-it)";
		expect(brokenLinks({ path: "docs/x.md", text })).toEqual([
			"docs/x.md:2 links to #6-three, a heading that docs/x.md does not have",
			"docs/x.md:3 links to #walk-it, a heading that README.md does not have",
		]);
	});

	it("a word that the glossary explains twice is named", () => {
		const text = "| **lot** | a |\n| **component**, **recipe** | **lot** b |\n| **recipe** | c |";
		expect(doubledWords({ path: "g.md", text })).toEqual(['g.md explains "recipe" more than once']);
	});

	describe("references to the contract and its settlements", () => {
		const sections = {
			contract: sectionsOf("## 8. Limits\n### 9. No\n"),
			"operator contract": new Set<number>(),
			settlements: new Set([1, 2, 3, 5]),
		};
		const problemsOf = (text: string): string[] => referenceProblems({ path: "x.ts", text }, sections);

		it.for([
			"(contract, section 8)",
			"/** A rule (contract, section 8; settlements, sections 1 to 3 and 5). */",
			"the settlements,\n * section 5, say",
			"Settlements, section 5, 100 lines of it",
			"what the contract, and nobody else, says",
		])("lets %j pass", (text) => {
			expect(problemsOf(text)).toEqual([]);
		});

		it.for([
			["// contract, section 9", "x.ts:1 names section 9 of the contract, which does not exist"],
			["\n// settlements,\n// section 8", "x.ts:2 names section 8 of the settlements, which does not exist"],
			["settlements, sections 1, 2 and 6", "x.ts:1 names section 6 of the settlements, which does not exist"],
			["settlements, sections 1 to 4", "x.ts:1 names section 4 of the settlements, which does not exist"],
			["decisions.md, section 5", 'x.ts:1 says "decisions.md": the settlements are named `settlements, section N`'],
			[
				"(contract,\nLimits)",
				'x.ts:1 says "contract, Limits": a heading is named by its number: `contract, section N`',
			],
			["settlements 5", 'x.ts:1 says "settlements 5": the form is `settlements, section N`'],
			[
				"as issue 2, point 6, has it",
				'x.ts:1 says "issue 2": the project speaks of itself alone: name the rule\'s section',
			],
		] as const)("names %j", ([text, problem]) => {
			expect(problemsOf(text)).toEqual([problem]);
		});
	});
});
