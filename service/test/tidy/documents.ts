import { existsSync } from "node:fs";
import path from "node:path";
import { ERROR_STATUS } from "../../src/glossary.ts";
import { COMMON_ERRORS, KEYLESS_ERRORS } from "../../src/partners/http/errors.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { filesBelow, ROOT, readText } from "./source.ts";

/** A Markdown document; `path` from the root of the repository. */
export interface Page {
	readonly path: string;
	readonly text: string;
}

/** Every operation that a contract.ts of the service exports. */
export async function readOperations(): Promise<Operation[]> {
	const files = filesBelow("service/src", "contract.ts");
	const modules = await Promise.all(
		files.map((file) => import(path.join(ROOT, file)) as Promise<Record<string, unknown>>),
	);
	return modules.flatMap((module) => Object.values(module)).filter(isOperation);
}

const isOperation = (value: unknown): value is Operation =>
	typeof value === "object" && value !== null && "id" in value && "method" in value && "replies" in value;

export const readPages = (folder: string): Page[] =>
	filesBelow(folder, ".md").map((file) => ({ path: file, text: readText(file) }));

/** The documents in the repository: in the root, docs/, deploy/, and the folders of tools, SDK and examples. */
export const readDocuments = (): Page[] => [
	...["README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map((file) => ({
		path: file,
		text: readText(file),
	})),
	...["docs", "deploy", "cli", "lab", "bench", "replay", "sdk", "examples", "fixtures"].flatMap(readPages),
];

const RESERVED = "Reserved for orders";
/** The text on a page for a code of the operator's API, whose operations are too many to name. */
const OPERATORS = "the operator's API";
const isOperators = ({ path: at }: Operation): boolean => at.startsWith("/admin/");
const FOLDER = "docs/errors/";

/** Errors of the pages about codes: missing, wrong and excessive claims that would mislead a partner's developer. */
export function errorPageProblems(pages: readonly Page[], operations: readonly Operation[]): string[] {
	const byCode = new Map(pages.map((page) => [path.basename(page.path, ".md"), page]));
	const unknown = [...byCode.keys()]
		.filter((code) => code !== "README" && !Object.hasOwn(ERROR_STATUS, code))
		.map((code) => `${FOLDER}${code}.md:1 describes no code of ERROR_STATUS`);
	const codes = Object.entries(ERROR_STATUS).flatMap(([code, status]) => {
		const page = byCode.get(code);
		return page ? pageProblems(page, code, status, operations) : [`${FOLDER}${code}.md is missing`];
	});
	const index = byCode.get("README")?.text ?? "";
	const unlisted = Object.keys(ERROR_STATUS).filter((code) => !index.includes(`(${code}.md)`));
	return [...unknown, ...codes, ...unlisted.map((code) => `${FOLDER}README.md does not list ${code}`)];
}

function pageProblems(page: Page, code: string, status: number, operations: readonly Operation[]): string[] {
	const problems: string[] = [];
	const [, paragraph = ""] = /^\*\*Status ([\s\S]*?)(?:\n\n|$(?![\s\S]))/m.exec(page.text) ?? [];
	const head = paragraph.replace(/\s+/g, " ");
	if (!head.includes(String(status))) problems.push(`${page.path}:3 does not give the status ${status}`);
	if (!page.text.includes(`"code": "${code}"`)) problems.push(`${page.path}: its example does not answer ${code}`);
	const everywhere = new Set<string>([...COMMON_ERRORS, ...KEYLESS_ERRORS]).has(code);
	const declaring = operations.filter(({ errors }) => (errors as readonly string[]).includes(code));
	const answered = everywhere || declaring.length > 0;
	if (answered === head.includes(RESERVED)) {
		const truth = answered ? "an operation answers it" : "no operation declares it";
		problems.push(`${page.path}:3 must ${answered ? "not " : ""}say "${RESERVED}": ${truth}`);
	}
	if (everywhere || !answered) return problems;
	const named = [...head.matchAll(/`((?:GET|POST|PATCH|DELETE) [^`]+)`/g)].map(([, name]) =>
		name?.replace(/\{(\w+)\}/g, ":$1"),
	);
	const ofPartners = declaring.filter((one) => !isOperators(one));
	if (ofPartners.length === 0 && !head.includes(OPERATORS)) problems.push(`${page.path}:3 does not name ${OPERATORS}`);
	const real = ofPartners.map(({ method, path: at }) => `${method} ${at}`);
	for (const name of real) if (!named.includes(name)) problems.push(`${page.path}:3 does not name ${name}`);
	for (const name of named)
		if (name && !real.includes(name)) problems.push(`${page.path}:3: ${name} does not answer it`);
	return problems;
}

/** Links to missing files, or to headings that their document does not have. */
export function brokenLinks({ path: file, text }: Page): string[] {
	return text.split("\n").flatMap((line, at) =>
		[...line.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
			.filter(([, target = ""]) => !/^[a-z]+:/.test(target))
			.flatMap(([, target = "", anchor]) => {
				const to = target === "" ? file : path.posix.join(path.posix.dirname(file), target);
				if (target !== "" && !existsSync(path.join(ROOT, to)))
					return [`${file}:${at + 1} links to ${target}, which does not exist`];
				if (anchor === undefined || !to.endsWith(".md")) return [];
				if (anchorsOf(target === "" ? text : readText(to)).has(anchor)) return [];
				return [`${file}:${at + 1} links to #${anchor}, a heading that ${to} does not have`];
			}),
	);
}

/** Links in guides and error pages, which the service shows at /docs, to files that are not shown. */
export function unservedLinks(pages: readonly Page[]): string[] {
	const served = pages.filter(({ path: file }) => isServed(file) && file !== "CHANGELOG.md");
	return served.flatMap(({ path: file, text }) =>
		[...text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
			.map(([, target = ""]) => target)
			.filter((target) => !/^[a-z]+:/.test(target))
			.map((target) => path.posix.join(path.posix.dirname(file), target))
			.filter((to) => !isServed(to))
			.map((to) => `${file} links to ${to}, which /docs does not show`),
	);
}

/**
 * The changelog is shown too; its links to pages that are not shown become plain text. The reference takes the place of
 * the OpenAPI document.
 */
const isServed = (file: string): boolean =>
	/^(docs\/(partner|errors)\/[^/]+\.md|fixtures\/([\w-]+\/)?[\w.-]+\.(json|mjs|py|php|go)|openapi\/partner\/[\w-]+\.json|CHANGELOG\.md)$/.test(
		file,
	);

/** Pages of a folder that its README does not list, so that nobody finds them. */
export function unlistedPages(pages: readonly Page[], folder: string): string[] {
	const index = pages.find(({ path: file }) => file === `${folder}/README.md`)?.text ?? "";
	return pages
		.map(({ path: file }) => file)
		.filter((file) => path.posix.dirname(file) === folder && path.basename(file) !== "README.md")
		.filter((file) => !index.includes(`](${path.basename(file)}`))
		.map((file) => `${folder}/README.md does not list ${path.basename(file)}`);
}

/** The names under which the headings of a document can be linked to. */
const anchorsOf = (text: string): Set<string> =>
	new Set(
		[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
			heading
				.toLowerCase()
				.replace(/[^\p{L}\p{N}\s_-]/gu, "")
				.replaceAll(" ", "-"),
		),
	);

/** Words that a glossary explains more than once, which makes their meaning unclear. */
export function doubledWords({ path: file, text }: Page): string[] {
	const words = [...text.matchAll(/^\| (\*\*[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
		[...cell.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = ""]) => word),
	);
	const doubled = new Set(words.filter((word, at) => words.indexOf(word) !== at));
	return [...doubled].map((word) => `${file} explains "${word}" more than once`);
}

/** Variables that the table of the configuration lacks, or that do not exist. */
export function configurationProblems({ path: file, text }: Page, variables: readonly string[]): string[] {
	const listed = [...text.matchAll(/^\| `(HOLDFAST_\w+)`/gm)].map(([, name = ""]) => name);
	return [
		...variables.filter((name) => !listed.includes(name)).map((name) => `${file} leaves out ${name}`),
		...listed.filter((name) => !variables.includes(name)).map((name) => `${file} lists ${name}, which nothing reads`),
	];
}
