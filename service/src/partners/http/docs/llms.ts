import { PREFIX } from "./address.ts";
import type { Guide } from "./guides.ts";
import { addressOfOperation, DOCUMENT, REFERENCE, type ReferenceDocument } from "./reference-document.ts";

/** The index for language models, as llmstxt.org describes it. */
export const LLMS = `${PREFIX}/llms.txt`;
/** Every guide, every error code and every operation, in one file. */
export const LLMS_FULL = `${PREFIX}/llms-full.txt`;

/** The Markdown of a page. */
export const markdownAddressOf = (address: string): string =>
	address === PREFIX ? `${PREFIX}/index.md` : `${address}.md`;

interface Sources {
	readonly title: string;
	/** The public address of these pages, or empty: then links are relative. */
	readonly at: string;
	readonly guides: readonly Guide[];
	readonly reference: ReferenceDocument;
	/** Files that guides link to: vectors, collections, receivers. */
	readonly files: readonly string[];
}

const SUMMARY = [
	"> The partner API of a manufacturer: live stock counts, holds before a customer is charged, orders that the manufacturer ships,",
	"> certificates of analysis, and signed webhooks. Its one promise: the count is true.",
].join("\n");

const RULES = [
	"- Hold before you charge. On 409 `no_inventory` do not charge.",
	"- Send an `external_ref` with every reserve and an `Idempotency-Key` with every order, and repeat a request under the same ones.",
	"- Match errors on `code`, never on `message` or the status alone. Repeat only 429, 409 `retry`, 409 `hold_race`, 500 and lost answers.",
	"- A 401 or 403 is never a count of zero: hide the counts and alert a person.",
	"- Retry after `Retry-After`. A key may make 60 requests in any 60 seconds unless it was given another limit.",
	"- In TypeScript and JavaScript use the package `@holdfast/partner`, which does all of this; its command `holdfast-partner` sets up, checks and listens.",
].join("\n");

/** An index of all pages, each as Markdown, with a sentence about each. */
export function llmsIndex({ title, at, guides, reference, files }: Sources): string {
	const to = (address: string): string => (at === "" ? address.slice(PREFIX.length + 1) : `${at}${address}`);
	const groups = [...new Set(guides.map(({ group }) => group))].map((group) => {
		const entries = guides
			.filter((one) => one.group === group)
			.map(
				({ title: name, address, about }) =>
					`- [${name}](${to(markdownAddressOf(address))})${about === "" ? "" : `: ${about}`}`,
			);
		return `## ${group}\n\n${entries.join("\n")}`;
	});
	const operations = reference.operations.map(
		(one) => `- [${one.summary}](${to(`${addressOfOperation(one)}.md`)}): \`${one.method} ${one.path}\``,
	);
	const api =
		operations.length === 0
			? []
			: [`## API reference\n\n- [Every operation](${to(`${REFERENCE}.md`)})\n${operations.join("\n")}`];
	const machines = [
		`- [OpenAPI 3.1 document](${to(DOCUMENT)}): every operation, schema and webhook`,
		`- [Everything in one file](${to(LLMS_FULL)})`,
		...files.map((file) => `- [${file.slice(`${PREFIX}/`.length)}](${to(file)})`),
	];
	return [`# ${title}`, SUMMARY, RULES, ...groups, ...api, `## Files\n\n${machines.join("\n")}`, ""].join("\n\n");
}
