import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../../ground/lib/operator-error.ts";
import { filesLinkedIn, type Guide, groupsOf, linkFrom, ROOT, START } from "./guides.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";

/** Path of the operators' guides, within the console. */
export const HELP = "/admin/help";
const FOLDER = "docs/operator";
/** The first page, which lists the guides in order. */
const HOME = `${FOLDER}/README.md`;

/** Fails at start if the guides are missing; otherwise each page would fail when requested. */
export function requireOperatorGuides(root = ROOT): void {
	if (!existsSync(path.join(root, HOME)))
		throw new OperatorError(`The operators' guides, shown at ${HELP}, are missing: ${path.join(root, HOME)}.`);
}

/** The guides for operators in the order of their README, and in the groups of its headings. */
export async function readOperatorGuides(): Promise<Guide[]> {
	const names = (await readdir(path.join(ROOT, FOLDER))).filter((name) => name.endsWith(".md")).toSorted();
	const texts = new Map<string, string>();
	for (const name of names) texts.set(name, await readFile(path.join(ROOT, FOLDER, name), "utf8"));
	const groups = groupsOf(texts.get(path.basename(HOME)) ?? "");
	const order = [path.basename(HOME), ...groups.keys()];
	const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
	return names
		.toSorted((a, b) => place(a) - place(b))
		.map((name) => {
			const text = texts.get(name) ?? "";
			const file = `${FOLDER}/${name}`;
			const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
			const address = file === HOME ? HELP : `${HELP}/${path.basename(name, ".md")}`;
			const { group, about } = groups.get(name) ?? { group: START, about: "" };
			return { file, address, group, title: title.replaceAll("`", ""), about, text, isForOperators: true };
		});
}

/** Files that a guide may link to or show, and are served unchanged: pictures, rules for alerts, a dashboard. */
const SERVED = /^docs\/(?:images\/([\w-]+\.(?:png|jpg))|operator\/([\w-]+\.(?:json|yml)))$/;

/** A file that guides link to or show, with its address. */
export interface ServedFile {
	readonly address: string;
	readonly file: string;
}

function servedFile(file: string): ServedFile | null {
	const [, picture, other] = SERVED.exec(file) ?? [];
	if (picture !== undefined) return { address: `${HELP}/images/${picture}`, file: path.join(ROOT, file) };
	return other === undefined ? null : { address: `${HELP}/files/${other}`, file: path.join(ROOT, file) };
}

/** All files that the guides link to or show. */
export function filesOf(guides: readonly Guide[]): readonly ServedFile[] {
	const files = filesLinkedIn(guides, (file) => [servedFile(file) ?? []].flat());
	return [...new Map(files.map((one) => [one.address, one])).values()];
}

const addressOfLink = (guides: readonly Guide[], from: Guide, href: string): string | null =>
	linkFrom(from, href, (file) => servedFile(file)?.address ?? guides.find((guide) => guide.file === file)?.address);

export const renderOperatorGuide = (guides: readonly Guide[], guide: Guide): Rendered =>
	renderMarkdown(guide.text, { linkTo: (href) => addressOfLink(guides, guide, href), sample: (code) => code });
