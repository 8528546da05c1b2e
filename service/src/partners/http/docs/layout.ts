import { relativeLink } from "./address.ts";
import { asHtml, type Html, html } from "./html.ts";
import type { Heading } from "./markdown.ts";

export interface DocPage {
	/** From the root of the service: `/docs/guides/holds`. */
	readonly address: string;
	readonly title: string;
	/** The main content, including the heading. */
	readonly content: string;
	/** The headings that can be linked to. */
	readonly headings: readonly Heading[];
	/** The same page as Markdown, if there is one. */
	readonly markdown?: string;
	/** Assets that it needs besides those of every page. */
	readonly scripts?: readonly string[];
}

/** One section of the navigation. */
export interface Menu {
	readonly name: string;
	readonly entries: readonly { readonly address: string; readonly title: string }[];
	/** Collapsed unless it contains the page. */
	readonly folded?: true;
}

/** What all pages have around their content. */
export interface Frame {
	readonly menus: readonly Menu[];
	readonly title: string;
	/** The public address of the partner API, which samples name, or empty. */
	readonly api: string;
	/** The address of the first page. */
	readonly root: string;
}

/** Path of the assets of the pages whose first is at `root`. */
export const assetsOf = (root: string): string => `${root}/assets`;
/** Level of the headings listed beside a long page. */
const CONTENTS_LEVEL = 2;
/** Number of such headings with which a page counts as long. */
const LONG = 3;

/** A page in the common layout. */
export function layOut(page: DocPage, { menus, title, api, root }: Frame): string {
	const to = (address: string): string => relativeLink(page.address, address);
	const asset = (name: string): string => to(`${assetsOf(root)}/${name}`);
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title === title ? title : `${page.title} · ${title}`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset("style.css")}">
${page.markdown === undefined ? null : html`<link rel="alternate" type="text/markdown" href="${to(page.markdown)}">\n`}${["search.js", "samples.js", ...(page.scripts ?? [])].map((name) => html`<script type="module" src="${asset(name)}"></script>\n`)}</head>
<body data-docs="${to(root)}" data-api="${api}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${to(root)}">${title}</a>
<form role="search" hidden>
<input type="search" name="q" autocomplete="off" spellcheck="false" aria-label="Search the documentation" aria-keyshortcuts="/" placeholder="Search ( / )">
<div class="found" hidden><p role="status"></p><ul></ul></div>
</form>
<button type="button" popovertarget="menu">Menu</button>
</header>
<nav id="menu" class="menu" popover aria-label="Documentation">
${menus.map((menu) => menuOf(menu, page, to))}</nav>
<main id="content" tabindex="-1">
${contentsOf(page.headings)}<article>
${asHtml(page.content)}${page.markdown === undefined ? null : html`<p class="quiet"><a href="${to(page.markdown)}">This page as Markdown</a></p>\n`}</article>
</main>
</body>
</html>
`.html;
}

function menuOf({ name, entries, folded }: Menu, page: DocPage, to: (address: string) => string): Html {
	const links = html`<ul>
${entries.map(
	({ address, title }) =>
		html`<li><a href="${to(address)}"${address === page.address ? asHtml(' aria-current="page"') : null}>${title}</a></li>\n`,
)}</ul>
`;
	if (folded === undefined) return html`<p>${name}</p>\n${links}`;
	const open = entries.some(({ address }) => address === page.address);
	return html`<details${open ? asHtml(" open") : null}><summary>${name}</summary>\n${links}</details>\n`;
}

function contentsOf(headings: readonly Heading[]): Html | null {
	const listed = headings.filter(({ level }) => level === CONTENTS_LEVEL);
	if (listed.length < LONG) return null;
	return html`<nav class="contents" aria-label="On this page">
<p>On this page</p>
<ul>
${listed.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>\n`)}</ul>
</nav>
`;
}
