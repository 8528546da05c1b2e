import MarkdownIt, { type MarkdownIt as Markdown, type Token } from "markdown-it";
import { must } from "../../../ground/lib/assert.ts";
import { asHtml, type Html, html } from "./html.ts";
import { groupSamples, isTab, LANGUAGES, languageOf } from "./sample-tabs.ts";

export interface Heading {
	/** 1 to 6. */
	readonly level: number;
	readonly anchor: string;
	/** Plain text. */
	readonly text: string;
}

/** The plain text below one heading, for the search. */
export interface Section {
	readonly heading: Heading;
	readonly text: string;
}

/** A Markdown document as HTML. */
export interface Rendered {
	/** Its first heading, as plain text. */
	readonly title: string;
	readonly html: string;
	readonly sections: readonly Section[];
}

export interface RenderOptions {
	/** The address of a link on these pages; null if its target is not shown: then its text appears without a link. */
	readonly linkTo: (href: string) => string | null;
	/** Changes the text of a code sample, to insert the address of this deployment. */
	readonly sample: (code: string) => string;
}

interface Environment extends RenderOptions {
	/** The number of uses of each anchor. */
	readonly anchors: Map<string, number>;
}

const markdown = withOurRules(new MarkdownIt({ html: false, linkify: false, typographer: false }));

/** Renders a document. HTML in it is shown as text, never interpreted. */
export function renderMarkdown(text: string, options: RenderOptions): Rendered {
	const environment: Environment = { ...options, anchors: new Map() };
	const env = { holdfast: environment };
	const tokens = groupSamples(markdown.parse(text, env));
	const sections = sectionsOf(tokens, environment);
	const [first] = sections;
	return {
		title: first?.heading.text ?? "",
		html: markdown.renderer.render(tokens, markdown.options, env),
		sections,
	};
}

const AS_IT_IS: RenderOptions = { linkTo: (href) => href, sample: (code) => code };

/** A code sample. It can be focused, because it scrolls sideways and must be reachable by keyboard. */
export const codeSample = (language: string, code: string): Html =>
	html`<pre tabindex="0"><code${language === "" ? null : html` class="language-${language}"`}>${code}</code></pre>\n`;

/**
 * A sample beside those of the same step in other languages. Scripts make tabs of them; without scripts, they follow
 * each other.
 */
export const tabOf = (language: string, code: string): Html =>
	html`<div class="sample" data-language="${language}"><p>${LANGUAGES[language] ?? language}</p>\n${codeSample(language, code)}</div>\n`;

/** The same step in several languages. */
export const samplesOf = (samples: readonly { readonly language: string; readonly code: string }[]): Html =>
	html`<div class="samples">\n${samples.map(({ language, code }) => tabOf(language, code))}</div>\n`;

/** A description in Markdown, of several paragraphs. */
export const asText = (text: string): Html => asHtml(renderMarkdown(text, AS_IT_IS).html);

/** A description in Markdown, within a paragraph. */
export const renderWords = (text: string): Html =>
	asHtml(markdown.renderInline(text, { holdfast: { ...AS_IT_IS, anchors: new Map() } }));

/** The anchor of a heading, as GitHub forms it. */
export const anchorOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, "")
		.replaceAll(" ", "-");

function sectionsOf(tokens: readonly Token[], { anchors }: Environment): Section[] {
	const sections: { heading: Heading; text: string[] }[] = [];
	for (const [index, token] of tokens.entries()) {
		if (token.type === "heading_open") {
			const text = wordsOf(must(tokens[index + 1], "the text of a heading"));
			const plain = anchorOf(text);
			const times = anchors.get(plain) ?? 0;
			anchors.set(plain, times + 1);
			const anchor = times === 0 ? plain : `${plain}-${times}`;
			token.attrSet("id", anchor);
			sections.push({ heading: { level: Number(token.tag.slice(1)), anchor, text }, text: [] });
		} else if (token.type === "fence" || token.type === "code_block") {
			if (!PROGRAMS.has(languageOf(token))) sections.at(-1)?.text.push(token.content);
		} else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
			sections.at(-1)?.text.push(wordsOf(token));
		}
	}
	return sections.map(({ heading, text }) => ({ heading, text: text.join(" ").replace(/\s+/g, " ") }));
}

/** Samples in these languages repeat in code what the words around them say: the search leaves them out. */
const PROGRAMS: ReadonlySet<string> = new Set(["ts", "js", "python", "php", "go"]);

const wordsOf = ({ children }: Token): string =>
	(children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");

function withOurRules(md: Markdown): Markdown {
	const { rules } = md.renderer;
	const { escapeHtml } = md.utils;
	rules.fence = (tokens, index, _options, env) => {
		const token = must(tokens[index], "a code sample");
		const render = isTab(token) ? tabOf : codeSample;
		return render(languageOf(token), environmentOf(env).sample(token.content)).html;
	};
	rules.samples_open = () => '<div class="samples">\n';
	rules.samples_close = () => "</div>\n";
	rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
	rules.table_close = () => "</table></div>\n";
	// an empty heading cell means nothing to a screen reader
	const isEmptyHead = (tokens: readonly Token[], index: number): boolean =>
		(tokens[index]?.content ?? "") === "" && tokens[index]?.type === "inline";
	rules.th_open = (tokens, index) => (isEmptyHead(tokens, index + 1) ? "<td>" : '<th scope="col">');
	rules.th_close = (tokens, index) => (isEmptyHead(tokens, index - 1) ? "</td>" : "</th>");
	const shown: boolean[] = [];
	rules.link_open = (tokens, index, _options, env) => {
		const href = String(must(tokens[index], "a link").attrGet("href"));
		const to = environmentOf(env).linkTo(href);
		shown.push(to !== null);
		return to === null ? "" : `<a href="${escapeHtml(to)}">`;
	};
	rules.image = (tokens, index, _options, env) => {
		const token = must(tokens[index], "a picture");
		const to = environmentOf(env).linkTo(String(token.attrGet("src")));
		const words = escapeHtml(token.content);
		return to === null
			? words
			: `<a href="${escapeHtml(to)}"><img src="${escapeHtml(to)}" alt="${words}" loading="lazy"></a>`;
	};
	rules.link_close = () => (shown.pop() ? "</a>" : "");
	return md;
}

const environmentOf = (env: unknown): Environment => (env as { holdfast: Environment }).holdfast;
