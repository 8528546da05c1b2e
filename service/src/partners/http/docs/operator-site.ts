import { readFile } from "node:fs/promises";
import path from "node:path";
import { relativeLink } from "./address.ts";
import type { Guide } from "./guides.ts";
import { html } from "./html.ts";
import { type DocPage, type Frame, layOut, type Menu } from "./layout.ts";
import { filesOf, HELP, readOperatorGuides, renderOperatorGuide } from "./operator-guides.ts";
import { entriesOfGuide } from "./search-entries.ts";
import { assetMakers, HTML, JSON_TYPE, type Make, type Site, sent, siteOf } from "./site-files.ts";

const TITLE = "Help for operators";
/** The front page of the console. */
const CONSOLE = "/admin";
const TYPES: { readonly [ending: string]: string } = {
	".png": "image/png",
	".jpg": "image/jpeg",
	".json": JSON_TYPE,
	".yml": "text/plain; charset=utf-8",
};

/** The operators' guides as pages, with their search and their pictures. */
export async function openOperatorSite(): Promise<Site> {
	const guides = await readOperatorGuides();
	const frame: Frame = { menus: menusOf(guides), title: TITLE, api: "", root: HELP };
	const makers = new Map<string, Make>();
	for (const guide of guides) makers.set(guide.address, () => sent(HTML, layOut(pageOf(guides, guide), frame)));
	makers.set(`${HELP}/search.json`, () => {
		const entries = guides.flatMap((guide) => entriesOfGuide(guide, renderOperatorGuide(guides, guide).sections, HELP));
		return sent(JSON_TYPE, JSON.stringify(entries));
	});
	for (const [address, make] of assetMakers(HELP)) makers.set(address, make);
	for (const { address, file } of filesOf(guides)) {
		const type = TYPES[path.extname(file)] ?? "application/octet-stream";
		makers.set(address, async () => sent(type, await readFile(file)));
	}
	return siteOf(makers, (address) => {
		const content = html`<h1>There is no such page</h1>
<p>Search above, or begin at <a href="${relativeLink(address, HELP)}">the first page</a>.</p>
`;
		return sent(HTML, layOut({ address, title: "Not found", content: content.html, headings: [] }, frame));
	});
}

function pageOf(guides: readonly Guide[], guide: Guide): DocPage {
	const { title, html: content, sections } = renderOperatorGuide(guides, guide);
	return { address: guide.address, title, content, headings: sections.map(({ heading }) => heading) };
}

function menusOf(guides: readonly Guide[]): Menu[] {
	const groups = Map.groupBy(guides, ({ group }) => group);
	return [
		{ name: "Console", entries: [{ address: CONSOLE, title: "Back to the console" }] },
		...[...groups].map(([name, inGroup]) => ({
			name,
			entries: inGroup.map(({ address, title }) => ({ address, title: address === HELP ? "Overview" : title })),
		})),
	];
}
