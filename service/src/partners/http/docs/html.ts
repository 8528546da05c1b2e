import { escapeHtml } from "../../../ground/lib/escape-html.ts";

/** Text that is already HTML. All other text is escaped when inserted. */
export interface Html {
	readonly html: string;
}

type Part = Html | string | number | null | readonly Part[];

/** HTML from a template: values are escaped unless they are Html; lists are joined; null becomes nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
	html: texts.map((text, index) => text + (index < parts.length ? htmlOf(parts[index] as Part) : "")).join(""),
});

/** Marks text as HTML, unescaped. */
export const asHtml = (text: string): Html => ({ html: text });

function htmlOf(part: Part): string {
	if (part === null) return "";
	if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
	if ("html" in part) return part.html;
	return part.map(htmlOf).join("");
}
