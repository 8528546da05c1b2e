import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "../openapi/schemas.ts";
import { PREFIX, relativeLink } from "./address.ts";
import {
	ERROR_GROUP,
	fixturesOf,
	type Guide,
	markdownOf,
	readGuides,
	renderGuide,
	type SampleAddresses,
} from "./guides.ts";
import { html } from "./html.ts";
import { type DocPage, type Frame, layOut, type Menu } from "./layout.ts";
import { LLMS, LLMS_FULL, llmsIndex, markdownAddressOf } from "./llms.ts";
import { indexMarkdown, operationMarkdown } from "./operation-markdown.ts";
import { renderIndex, renderOperation } from "./reference.ts";
import { addressOfOperation, DOCUMENT, REFERENCE, type ReferenceDocument, readDocument } from "./reference-document.ts";
import { searchEntries } from "./search-entries.ts";
import { assetMakers, HTML, JSON_TYPE, type Make, type Site, sent, siteOf } from "./site-files.ts";

export interface SiteOptions extends SampleAddresses {
	readonly title: string;
	/** The OpenAPI document of the surface. */
	readonly document: JsonObject;
	/** The public address of the operations in the reference, or empty. */
	readonly at: string;
}

const MARKDOWN = "text/markdown; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";

export async function openSite(options: SiteOptions): Promise<Site> {
	const guides = await readGuides();
	const listed = guides.filter(({ isForOperators }) => !isForOperators);
	await setImmediate();
	const reference = readDocument(options.document);
	const menus = menusOf(listed, reference);
	const pages = new Map<string, () => DocPage>([
		...guides.map((guide) => [guide.address, () => guidePage(guides, guide, options)] as const),
		...referencePages(reference, options.at),
	]);
	const site: Frame = { menus, title: options.title, api: options.origin, root: PREFIX };
	const makers = new Map<string, Make>();
	for (const [address, page] of pages) makers.set(address, () => sent(HTML, layOut(page(), site)));
	makers.set(DOCUMENT, () => sent(JSON_TYPE, JSON.stringify(options.document)));
	makers.set(`${PREFIX}/search.json`, async () =>
		sent(JSON_TYPE, JSON.stringify(await searchEntries(listed, reference))),
	);
	for (const [address, make] of assetMakers(PREFIX)) makers.set(address, make);
	const fixtures = fixturesOf(guides);
	for (const { address, file } of fixtures) {
		makers.set(address, async () => sent(file.endsWith(".json") ? JSON_TYPE : TEXT, await readFile(file)));
	}
	const texts = textsOf(listed, reference, options);
	for (const [address, text] of textsOf(guides, reference, options)) makers.set(address, () => sent(MARKDOWN, text()));
	const files = fixtures.map(({ address }) => address);
	makers.set(LLMS, () => sent(TEXT, llmsIndex({ ...options, guides: listed, reference, files })));
	makers.set(LLMS_FULL, () => sent(TEXT, [...texts.values()].map((text) => text()).join("\n\n---\n\n")));
	return siteOf(makers, (address) => {
		const to = (wanted: string): string => relativeLink(address, wanted);
		const name = address.slice(address.lastIndexOf("/"));
		const meant = guides.find((guide) => guide.address.endsWith(name));
		const content = html`<h1>There is no such page</h1>
${meant === undefined ? "" : html`<p>Perhaps you are looking for <a href="${to(meant.address)}">${meant.title}</a>.</p>`}
<p>Search above, or begin at <a href="${to(PREFIX)}">the first page</a> or <a href="${to(REFERENCE)}">the API reference</a>.</p>
`;
		return sent(HTML, layOut({ address, title: "Not found", content: content.html, headings: [] }, site));
	});
}

function guidePage(guides: readonly Guide[], guide: Guide, at: SampleAddresses): DocPage {
	const { title, html, sections } = renderGuide(guides, guide, at);
	const { address } = guide;
	const headings = sections.map(({ heading }) => heading);
	return { address, title, content: html, headings, markdown: markdownAddressOf(address) };
}

/** Every page as Markdown, by its address; those of guides first. */
function textsOf(
	guides: readonly Guide[],
	reference: ReferenceDocument,
	options: SiteOptions,
): Map<string, () => string> {
	const { operations } = reference;
	const entries: [string, () => string][] = guides.map((guide) => [
		markdownAddressOf(guide.address),
		() => markdownOf(guides, guide, options),
	]);
	if (operations.length > 0) entries.push([markdownAddressOf(REFERENCE), () => indexMarkdown(reference)]);
	for (const one of operations) {
		const address = markdownAddressOf(addressOfOperation(one));
		entries.push([address, () => operationMarkdown(one, reference, options.at)]);
	}
	return new Map(entries);
}

/** A surface without operations has no reference. */
function referencePages(reference: ReferenceDocument, origin: string): [string, () => DocPage][] {
	if (reference.operations.length === 0) return [];
	const index = (): DocPage => {
		const { html, headings } = renderIndex(reference);
		return {
			address: REFERENCE,
			title: "API reference",
			content: html,
			headings,
			markdown: markdownAddressOf(REFERENCE),
		};
	};
	return [
		[REFERENCE, index],
		...reference.operations.map((one): [string, () => DocPage] => {
			const address = addressOfOperation(one);
			const page = (): DocPage => {
				const { html, headings } = renderOperation(one, reference, origin);
				const markdown = markdownAddressOf(address);
				return { address, title: one.summary, content: html, headings, markdown, scripts: ["try.js"] };
			};
			return [address, page];
		}),
	];
}

function menusOf(guides: readonly Guide[], reference: ReferenceDocument): Menu[] {
	const menuOf = (name: string): Menu => ({
		name,
		entries: guides
			.filter(({ group }) => group === name)
			.map(({ address, title }) => ({ address, title: address === PREFIX ? "Overview" : title })),
	});
	const { groups, operations } = reference;
	const byGroup = groups.map(({ name }): Menu => {
		const inGroup = operations.filter(({ tags }) => tags.includes(name));
		return {
			name,
			entries: inGroup.map((one) => ({ address: addressOfOperation(one), title: one.summary })),
			folded: true,
		};
	});
	const index: Menu = { name: "API reference", entries: [{ address: REFERENCE, title: "Every operation" }] };
	const names = [...new Set(guides.map(({ group }) => group))];
	const before = names.filter((name) => name !== ERROR_GROUP && name !== names.at(-1));
	return [
		...before.map(menuOf),
		...(operations.length === 0 ? [] : [index, ...byGroup]),
		{ ...menuOf(ERROR_GROUP), folded: true },
		...names.slice(-1).map(menuOf),
	];
}
