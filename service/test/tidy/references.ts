import type { Page } from "./documents.ts";
import { filesBelow, readText } from "./source.ts";

/** The documents that define rules, by the name with which code refers to them. */
const RULEBOOKS = {
	contract: "docs/contract/partner-api.md",
	"operator contract": "docs/contract/operator-api.md",
	settlements: "docs/contract/settlements.md",
} as const;
type Rulebook = keyof typeof RULEBOOKS;
/** The section numbers of each of them. */
type Sections = { readonly [R in Rulebook]: ReadonlySet<number> };

export const sectionsOf = (text: string): Set<number> =>
	new Set([...text.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number)));

export const readSections = (): Sections => ({
	contract: sectionsOf(readText(RULEBOOKS.contract)),
	"operator contract": sectionsOf(readText(RULEBOOKS["operator contract"])),
	settlements: sectionsOf(readText(RULEBOOKS.settlements)),
});

const ROOT_DOCUMENTS = ["README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
/** The rule's own files, which contain the forbidden forms. */
const OF_THE_RULE = /^service\/test\/tidy(\.test\.ts$|\/)/;

/** Every text that may refer to a rule: code, statements, migrations and documents. */
export const readReferring = (): Page[] =>
	[
		...ROOT_DOCUMENTS,
		...["service", "lab", "bench", "replay", "docs"].flatMap((folder) =>
			[".ts", ".sql", ".md"].flatMap((ending) => filesBelow(folder, ending)),
		),
	]
		.filter((file) => !OF_THE_RULE.test(file))
		.map((file) => ({ path: file, text: readText(file) }));

// a reference may be broken over two lines of a comment
const GAP = String.raw`(?:\s|\*|//)+`;
const LIST = String.raw`\d+(?:(?:,${GAP}|${GAP}(?:and|to)${GAP})\d+)*`;
const REFERENCE = new RegExp(
	String.raw`\b((?:operator${GAP})?contract|settlements),${GAP}(?:section${GAP}(\d+)|sections${GAP}(${LIST}))`,
	"gi",
);

/** Forbidden forms of references, and the problem with each. */
const WRONG: readonly (readonly [form: RegExp, why: string])[] = [
	[/\bdecisions\.md\b/g, "the settlements are named `settlements, section N`"],
	[
		new RegExp(String.raw`\b(?:[Cc]ontract|[Ss]ettlements|partner-api\.md),${GAP}[A-Z]\w*`, "g"),
		"a heading is named by its number: `contract, section N`",
	],
	[/\b[Ss]ettlements \d+/g, "the form is `settlements, section N`"],
	[/\b[Ii]ssues? #?\d+/g, "the project speaks of itself alone: name the rule's section"],
];

/** References to sections that do not exist, or in a form that cannot be looked up. */
export function referenceProblems({ path: file, text }: Page, sections: Sections): string[] {
	const lineAt = (index: number): number => text.slice(0, index).split("\n").length;
	const missing = [...text.matchAll(REFERENCE)].flatMap(({ index, 1: named = "", 2: one, 3: list = "" }) => {
		const rulebook = named.toLowerCase().replace(/[\s*/]+/g, " ") as Rulebook;
		return numbersOf(one ?? list)
			.filter((number) => !sections[rulebook].has(number))
			.map((number) => `${file}:${lineAt(index)} names section ${number} of the ${rulebook}, which does not exist`);
	});
	const wrong = WRONG.flatMap(([form, why]) =>
		[...text.matchAll(form)].map(
			({ index, 0: found }) => `${file}:${lineAt(index)} says "${found.replace(/\s+/g, " ")}": ${why}`,
		),
	);
	return [...missing, ...wrong];
}

/** The numbers of "1, 3 to 5 and 7": 1, 3, 4, 5, 7. */
function numbersOf(list: string): number[] {
	const numbers: number[] = [];
	for (const [, separator = "", digits] of list.matchAll(/(\bto\b)?[^\d]*?(\d+)/g)) {
		const number = Number(digits);
		const from = separator === "to" ? (numbers.at(-1) ?? number) + 1 : number;
		for (let next = from; next <= number; next++) numbers.push(next);
	}
	return numbers;
}
