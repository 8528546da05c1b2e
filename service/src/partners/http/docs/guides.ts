import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../../ground/lib/operator-error.ts";
import { PREFIX, relativeLink } from "./address.ts";
import { markdownAddressOf } from "./llms.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { partnersPartOf } from "./partners-part.ts";
import { REFERENCE } from "./reference-document.ts";

export const ROOT = path.resolve(import.meta.dirname, "../../../../..");
const GUIDES = "docs/partner";
const ERRORS = "docs/errors";
/** The page that lists the codes. */
const CODES = `${ERRORS}/README.md`;
const CHANGELOG = "CHANGELOG.md";
const FIXTURES = "fixtures";
/** The home page, which lists the guides in order. */
const HOME = `${GUIDES}/README.md`;

/** The addresses used in samples; they are replaced by those of the service. */
const WRITTEN_ADDRESS = "http://127.0.0.1:4000";
const WRITTEN_COA_ADDRESS = "http://127.0.0.1:4001";

/** The public addresses of the service, for samples; empty while it has none. */
export interface SampleAddresses {
	/** Of the partner API. */
	readonly origin: string;
	/** Of the COA feed. */
	readonly coa: string;
}

export interface Guide {
	/** From the root of the repository. */
	readonly file: string;
	/** `/docs/guides/holds`. */
	readonly address: string;
	/** Its heading in the navigation; for a guide, the heading under which the home page lists it. */
	readonly group: string;
	/** Its first heading, as plain text. */
	readonly title: string;
	/** What it is about, in a sentence, if the list of pages says it. */
	readonly about: string;
	readonly text: string;
	/** It is served at its address, because errors link to it, but appears in no list or search for partners. */
	readonly isForOperators: boolean;
}

/** Groups of the documents that are not guides. */
export const ERROR_GROUP = "Error codes";
const CHANGES = "Changes";
/** The group of the home page, and of guides that it lists under no heading. */
export const START = "Start here";

/** Fails at start if documents that /docs shows are missing; otherwise each page would fail when requested. */
export function requireDocuments(root = ROOT): void {
	const missing = [HOME, CODES, FIXTURES, CHANGELOG].filter((one) => !existsSync(path.join(root, one)));
	if (missing.length > 0)
		throw new OperatorError(
			`Files shown at /docs are missing in ${root}: ${missing.join(", ")}. Copy them beside service/ (docs/operator/install.md lists every file).`,
		);
}

/**
 * All documents for partners: the guides in the order of their README, and in the groups of its headings; the pages
 * about error codes; the changelog. A guide that the README does not list comes last. Pages of codes that only the
 * operator's API answers are those that the partners' part of their README does not list.
 */
export async function readGuides(): Promise<Guide[]> {
	const [guides, errors] = await Promise.all([filesIn(GUIDES), filesIn(ERRORS)]);
	const read = await Promise.all([...guides, ...errors, CHANGELOG].map(readGuide));
	const groups = groupsOf(read.find(({ file }) => file === HOME)?.text ?? "");
	const listed = [...groups.keys()];
	const place = ({ file }: Guide): number => {
		if (file === HOME) return -1;
		const at = listed.indexOf(path.basename(file));
		return at < 0 ? listed.length : at;
	};
	const inGuides = read
		.filter(({ file }) => file.startsWith(`${GUIDES}/`))
		.toSorted((a, b) => place(a) - place(b))
		.map((guide) => ({ ...guide, ...(groups.get(path.basename(guide.file)) ?? { group: START }) }));
	const codes = read.find(({ file }) => file === CODES)?.text ?? "";
	const isHidden = ({ file }: Guide): boolean =>
		file.startsWith(`${ERRORS}/`) && file !== CODES && !codes.includes(`(${path.basename(file)})`);
	const others = read.filter(({ file }) => !file.startsWith(`${GUIDES}/`));
	return [...inGuides, ...others.map((guide) => ({ ...guide, isForOperators: isHidden(guide) }))];
}

/**
 * For each guide, from the home page: the heading above the list item that begins with a link to it, and the rest of
 * that item.
 */
export function groupsOf(home: string): Map<string, Pick<Guide, "group" | "about">> {
	const groups = new Map<string, Pick<Guide, "group" | "about">>();
	let group = START;
	for (const line of home.split("\n")) {
		group = /^## (.+)$/.exec(line)?.[1] ?? group;
		const [, name, about = ""] = /^- \[[^\]]+\]\(([\w-]+\.md)\)(?:: (.+))?$/.exec(line) ?? [];
		if (name !== undefined) groups.set(name, { group, about });
	}
	return groups;
}

/** The first sentence of an error's page about when the error occurs, without links. */
function whenOf(text: string): string {
	const [, paragraph = ""] = /^## When it happens\n+([\s\S]+?)\n\n/m.exec(text) ?? [];
	const plain = paragraph
		.replace(/^- /, "")
		.replace(/\s+/g, " ")
		.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
	return /^.+?(?:\.(?= |$)|:$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}

const filesIn = async (folder: string): Promise<string[]> =>
	(await readdir(path.join(ROOT, folder)))
		.filter((name) => name.endsWith(".md"))
		.toSorted()
		.map((name) => `${folder}/${name}`);

async function readGuide(file: string): Promise<Guide> {
	const text = forPartners(file, await readFile(path.join(ROOT, file), "utf8"));
	const [, heading = file] = /^# (.+)$/m.exec(text) ?? [];
	const group = file.startsWith(`${ERRORS}/`) ? ERROR_GROUP : CHANGES;
	const title = heading.replaceAll("`", "");
	return { file, address: addressOf(file), group, title, about: whenOf(text), text, isForOperators: false };
}

/** Partners see only their part of the changelog and of the list of codes, not the operators'. */
const forPartners = (file: string, text: string): string =>
	file === CHANGELOG || file === CODES ? partnersPartOf(text) : text;

function addressOf(file: string): string {
	const name = path.basename(file, ".md");
	if (file === HOME) return PREFIX;
	if (file === CHANGELOG) return `${PREFIX}/changelog`;
	if (file === CODES) return `${PREFIX}/errors`;
	return file.startsWith(ERRORS) ? `${PREFIX}/errors/${name}` : `${PREFIX}/guides/${name}`;
}

/** The generated document; links to it lead to the reference instead. */
const OPENAPI = /^openapi\/partner\//;

/** The target of a document's link, from the root of the repository. */
const fileOf = (from: Guide, target: string): string =>
	target === "" ? from.file : path.posix.join(path.posix.dirname(from.file), target);

/** Files that a guide may link to, and are served unchanged: test vectors, collections, receivers. */
const FIXTURE = /^fixtures\/((?:[\w-]+\/)?[\w.-]+\.(?:json|mjs|py|php|go))$/;

/** The files that guides link to: the address and file of each. */
export function fixturesOf(guides: readonly Guide[]): { readonly address: string; readonly file: string }[] {
	const files = filesLinkedIn(guides, (file) => (FIXTURE.test(file) ? [file] : []));
	return [...new Set(files)].map((file) => ({ address: `${PREFIX}/${file}`, file: path.join(ROOT, file) }));
}

/** The address of a document's link on these pages; null if its target is not shown. `as`: the form of other pages. */
export const addressOfLink = (
	guides: readonly Guide[],
	from: Guide,
	href: string,
	as = (address: string): string => address,
): string | null =>
	linkFrom(from, href, (file) => {
		if (FIXTURE.test(file)) return `${PREFIX}/${file}`;
		const found = OPENAPI.test(file) ? REFERENCE : guides.find((guide) => guide.file === file)?.address;
		return found && as(found);
	});

/** The address of a document's link. `shownAt`: the address at which a file is shown; undefined: nowhere. */
export function linkFrom(from: Guide, href: string, shownAt: (file: string) => string | undefined): string | null {
	if (/^[a-z]+:/.test(href)) return href;
	const [target = "", anchor] = href.split("#", 2);
	const to = shownAt(fileOf(from, target));
	if (to === undefined) return null;
	return relativeLink(from.address, anchor === undefined ? to : `${to}#${anchor}`);
}

/** What `take` makes of each file that the guides link to, from the root of the repository. */
export const filesLinkedIn = <T>(guides: readonly Guide[], take: (file: string) => T[]): T[] =>
	guides.flatMap((guide) =>
		[...guide.text.matchAll(/\]\(([^)\s#:]+)\)/g)].flatMap(([, target = ""]) => take(fileOf(guide, target))),
	);

export const renderGuide = (guides: readonly Guide[], guide: Guide, at: SampleAddresses): Rendered =>
	renderMarkdown(guide.text, {
		linkTo: (href) => addressOfLink(guides, guide, href),
		sample: (code) => filledIn(code, at),
	});

/** A document as it is served in Markdown: its links lead to these pages in Markdown, or are plain text. */
export function markdownOf(guides: readonly Guide[], guide: Guide, at: SampleAddresses): string {
	const from = { ...guide, address: markdownAddressOf(guide.address) };
	const linked = (text: string): string =>
		text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_whole, words: string, href: string) => {
			const to = addressOfLink(guides, from, href, markdownAddressOf);
			return to === null ? words : `[${words}](${to})`;
		});
	const parts = guide.text.split(/(^```[\s\S]*?^```$)/m);
	return parts.map((part, place) => (place % 2 === 0 ? linked(part) : filledIn(part, at))).join("");
}

/** In one pass, because the address that stands for one may be the written form of the other. */
function filledIn(code: string, { origin, coa }: SampleAddresses): string {
	const known = new Map([
		[WRITTEN_ADDRESS, origin],
		[WRITTEN_COA_ADDRESS, coa],
	]);
	return code.replace(/http:\/\/127\.0\.0\.1:400[01](?!\d)/g, (written) => known.get(written) || written);
}
