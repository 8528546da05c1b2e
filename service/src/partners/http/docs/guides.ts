import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../../ground/lib/operator-error.ts";
import { PREFIX, relativeLink } from "./address.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";

/** The root of the repository. */
const ROOT = path.resolve(import.meta.dirname, "../../../../..");
const GUIDES = "docs/partner";
const ERRORS = "docs/errors";
const CHANGELOG = "CHANGELOG.md";
const FIXTURES = "fixtures";
/** The home page, which lists the guides in order. */
const HOME = `${GUIDES}/README.md`;

/** The address used in samples; it is replaced by that of the service. */
const WRITTEN_ADDRESS = "http://127.0.0.1:4000";

/** A document that is shown. */
export interface Guide {
	/** From the root of the repository. */
	readonly file: string;
	/** `/docs/guides/holds`. */
	readonly address: string;
	/** Its heading in the navigation. */
	readonly group: GuideGroup;
	/** Its first heading, as plain text. */
	readonly title: string;
	readonly text: string;
}

export type GuideGroup = "Guides" | "Errors" | "More";

/** Fails at start if documents that /docs shows are missing; otherwise each page would fail when requested. */
export function requireDocuments(root = ROOT): void {
	const missing = [HOME, `${ERRORS}/README.md`, FIXTURES, CHANGELOG].filter((one) => !existsSync(path.join(root, one)));
	if (missing.length > 0)
		throw new OperatorError(
			`Files shown at /docs are missing in ${root}: ${missing.join(", ")}. Copy them beside service/ (docs/operator/install.md lists every file).`,
		);
}

/**
 * All documents for partners: the guides in the order of their README, the pages about error codes, and the changelog.
 * A guide that the README does not list comes last.
 */
export async function readGuides(): Promise<Guide[]> {
	const [guides, errors] = await Promise.all([filesIn(GUIDES), filesIn(ERRORS)]);
	const read = await Promise.all([...guides, ...errors, CHANGELOG].map(readGuide));
	const home = read.find(({ file }) => file === HOME)?.text ?? "";
	const place = ({ file }: Guide): number => {
		if (file === HOME) return -1;
		const at = home.indexOf(`](${path.basename(file)})`);
		return at < 0 ? home.length : at;
	};
	const inGuides = read.filter(({ group }) => group === "Guides").toSorted((a, b) => place(a) - place(b));
	return [...inGuides, ...read.filter(({ group }) => group !== "Guides")];
}

const filesIn = async (folder: string): Promise<string[]> =>
	(await readdir(path.join(ROOT, folder)))
		.filter((name) => name.endsWith(".md"))
		.toSorted()
		.map((name) => `${folder}/${name}`);

async function readGuide(file: string): Promise<Guide> {
	const text = forPartners(file, await readFile(path.join(ROOT, file), "utf8"));
	const [, heading = file] = /^# (.+)$/m.exec(text) ?? [];
	const group = file.startsWith(`${GUIDES}/`) ? "Guides" : file.startsWith(`${ERRORS}/`) ? "Errors" : "More";
	return { file, address: addressOf(file), group, title: heading.replaceAll("`", ""), text };
}

/** Partners see only their part of the changelog, not the operators'. */
const forPartners = (file: string, text: string): string =>
	file === CHANGELOG ? (text.split(/^## For operators$/m)[0] ?? text) : text;

function addressOf(file: string): string {
	const name = path.basename(file, ".md");
	if (file === HOME) return PREFIX;
	if (file === CHANGELOG) return `${PREFIX}/changelog`;
	if (file === `${ERRORS}/README.md`) return `${PREFIX}/errors`;
	return file.startsWith(ERRORS) ? `${PREFIX}/errors/${name}` : `${PREFIX}/guides/${name}`;
}

/** The target of a document's link, from the root of the repository. */
const fileOf = (from: Guide, target: string): string =>
	target === "" ? from.file : path.posix.join(path.posix.dirname(from.file), target);

/** Test vectors that a guide may link to; they are served unchanged. */
const FIXTURE = /^fixtures\/([\w-]+\.json)$/;

/** The test vectors that guides link to: the address and file of each. */
export const fixturesOf = (guides: readonly Guide[]): { readonly address: string; readonly file: string }[] =>
	guides.flatMap((guide) =>
		[...guide.text.matchAll(/\]\(([^)\s#:]+\.json)\)/g)].flatMap(([, target = ""]) => {
			const file = fileOf(guide, target);
			const name = FIXTURE.exec(file)?.[1];
			return name === undefined ? [] : [{ address: `${PREFIX}/fixtures/${name}`, file: path.join(ROOT, file) }];
		}),
	);

/** The address of a document's link on these pages; null if its target is not shown. */
export function addressOfLink(guides: readonly Guide[], from: Guide, href: string): string | null {
	if (/^[a-z]+:/.test(href)) return href;
	const [target = "", anchor] = href.split("#", 2);
	const file = fileOf(from, target);
	const fixture = FIXTURE.exec(file)?.[1];
	if (fixture !== undefined) return relativeLink(from.address, `${PREFIX}/fixtures/${fixture}`);
	const found = guides.find((guide) => guide.file === file);
	if (found === undefined) return null;
	return relativeLink(from.address, anchor === undefined ? found.address : `${found.address}#${anchor}`);
}

/** `origin`: the public address of the service, or empty while it has none. */
export const renderGuide = (guides: readonly Guide[], guide: Guide, origin: string): Rendered =>
	renderMarkdown(guide.text, {
		linkTo: (href) => addressOfLink(guides, guide, href),
		sample: (code) => (origin === "" ? code : code.replaceAll(WRITTEN_ADDRESS, origin)),
	});
