import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { contentEtag } from "../etag.ts";
import type { JsonObject } from "../openapi/schemas.ts";
import { PREFIX, relativeLink } from "./address.ts";
import { fixturesOf, type Guide, readGuides, renderGuide } from "./guides.ts";
import { html } from "./html.ts";
import { ASSETS, type DocPage, layOut, type Menu } from "./layout.ts";
import { renderIndex, renderOperation } from "./reference.ts";
import { addressOfOperation, DOCUMENT, REFERENCE, type ReferenceDocument, readDocument } from "./reference-document.ts";

/** A file to serve. */
export interface SiteFile {
	readonly type: string;
	readonly body: Buffer;
	readonly etag: string;
}

/** The pages of one surface: guides, error codes, changelog, and the reference of its operations. */
export interface Site {
	/** All addresses, pages first. */
	readonly addresses: readonly string[];
	/** The file at an address below /docs, or null. Built on first request, and kept. */
	find(address: string): Promise<SiteFile | null>;
	/** The page for an unknown address. */
	nothing(address: string): SiteFile;
}

export interface SiteOptions {
	/** The title of the site. */
	readonly title: string;
	/** The OpenAPI document of the surface. */
	readonly document: JsonObject;
	/** The public address of the partner API, for the guides' samples, or empty. */
	readonly origin: string;
	/** The public address of the operations in the reference, or empty. */
	readonly at: string;
}

type Make = () => SiteFile | Promise<SiteFile>;

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
/** Assets of the pages. */
const ASSET_FILES: { readonly [name: string]: { readonly type: string; readonly file: string } } = {
	"style.css": { type: "text/css; charset=utf-8", file: ownAsset("style.css") },
	"search.js": { type: "text/javascript; charset=utf-8", file: ownAsset("search.js") },
	"try.js": { type: "text/javascript; charset=utf-8", file: ownAsset("try.js") },
	"minisearch.js": { type: "text/javascript; charset=utf-8", file: fileURLToPath(import.meta.resolve("minisearch")) },
};

export async function openSite(options: SiteOptions): Promise<Site> {
	const guides = await readGuides();
	await setImmediate();
	const reference = readDocument(options.document);
	const menus = menusOf(guides, reference);
	const pages = new Map<string, () => DocPage>([
		...guides.map((guide) => [guide.address, () => guidePage(guides, guide, options.origin)] as const),
		...referencePages(reference, options.at),
	]);
	const makers = new Map<string, Make>();
	for (const [address, page] of pages) makers.set(address, () => sent(HTML, layOut(page(), menus, options.title)));
	makers.set(DOCUMENT, () => sent(JSON_TYPE, JSON.stringify(options.document)));
	makers.set(`${PREFIX}/search.json`, async () => sent(JSON_TYPE, JSON.stringify(await wordsOf(guides, reference))));
	for (const [name, { type, file }] of Object.entries(ASSET_FILES)) {
		makers.set(`${ASSETS}/${name}`, async () => sent(type, await readFile(file)));
	}
	for (const { address, file } of fixturesOf(guides)) {
		makers.set(address, async () => sent(JSON_TYPE, await readFile(file)));
	}
	const made = new Map<string, Promise<SiteFile>>();
	return {
		addresses: [...makers.keys()],
		async find(address) {
			const make = makers.get(address);
			if (make === undefined) return null;
			const file = made.get(address) ?? Promise.resolve().then(make);
			made.set(address, file);
			file.catch(() => made.delete(address)); // the next request tries again
			return await file;
		},
		nothing(address) {
			const to = (wanted: string): string => relativeLink(address, wanted);
			const content = html`<h1>There is no such page</h1>
<p>Search above, or begin at <a href="${to(PREFIX)}">the guides</a> or <a href="${to(REFERENCE)}">the reference</a>.</p>
`;
			return sent(
				HTML,
				layOut({ address, title: "Not found", content: content.html, headings: [] }, menus, options.title),
			);
		},
	};
}

function ownAsset(name: string): string {
	return fileURLToPath(new URL(`assets/${name}`, import.meta.url));
}

function sent(type: string, text: string | Buffer): SiteFile {
	const body = Buffer.from(text);
	return { type, body, etag: contentEtag(body) };
}

function guidePage(guides: readonly Guide[], guide: Guide, origin: string): DocPage {
	const { title, html, sections } = renderGuide(guides, guide, origin);
	return { address: guide.address, title, content: html, headings: sections.map(({ heading }) => heading) };
}

/** A surface without operations has no reference. */
function referencePages(reference: ReferenceDocument, origin: string): [string, () => DocPage][] {
	if (reference.operations.length === 0) return [];
	const index = (): DocPage => {
		const { html, headings } = renderIndex(reference);
		return { address: REFERENCE, title: "Reference", content: html, headings };
	};
	return [
		[REFERENCE, index],
		...reference.operations.map((one): [string, () => DocPage] => {
			const address = addressOfOperation(one);
			const page = (): DocPage => {
				const { html, headings } = renderOperation(one, reference, origin);
				return { address, title: one.summary, content: html, headings, scripts: ["try.js"] };
			};
			return [address, page];
		}),
	];
}

function menusOf(guides: readonly Guide[], reference: ReferenceDocument): Menu[] {
	const entriesOf = (group: Guide["group"]) => guides.filter((guide) => guide.group === group);
	const { groups, operations } = reference;
	const byGroup = groups.map(({ name }): Menu => {
		const inGroup = operations.filter(({ tags }) => tags.includes(name));
		return {
			name,
			entries: inGroup.map((one) => ({ address: addressOfOperation(one), title: one.summary })),
			folded: true,
		};
	});
	const index: Menu = { name: "Reference", entries: [{ address: REFERENCE, title: "Every operation" }] };
	return [
		{ name: "Guides", entries: entriesOf("Guides") },
		...(operations.length === 0 ? [] : [index, ...byGroup]),
		{ name: "Error codes", entries: entriesOf("Errors"), folded: true },
		{ name: "More", entries: entriesOf("More") },
	];
}

/** A search entry: a section of a page, its address below /docs, and its text. */
interface Words {
	readonly to: string;
	readonly heading: string;
	readonly page: string;
	readonly text: string;
}

async function wordsOf(guides: readonly Guide[], { operations }: ReferenceDocument): Promise<Words[]> {
	const words: Words[] = [];
	for (const guide of guides) {
		const to = guide.address.slice(PREFIX.length);
		for (const { heading, text } of renderGuide(guides, guide, "").sections) {
			const place = heading.level === 1 ? to : `${to}#${heading.anchor}`;
			words.push({ to: place, heading: heading.text, page: guide.title, text });
		}
		await setImmediate(); // give waiting requests priority over readers
	}
	for (const one of operations) {
		const { method, path, summary, description, parameters } = one;
		const text = [description, ...parameters.map(({ name }) => name)].join(" ");
		words.push({
			to: addressOfOperation(one).slice(PREFIX.length),
			heading: summary,
			page: `${method} ${path}`,
			text,
		});
	}
	return words;
}
