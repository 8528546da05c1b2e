/** Text that is HTML already. Everything else is escaped where it is put into HTML. */
export interface Html {
	readonly html: string;
}

type Part = Html | string | number | null | readonly Part[];

/** HTML from a template: what is put in is escaped, unless it is Html itself; lists are joined; null is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
	html: texts.map((text, index) => text + (index < parts.length ? htmlOf(parts[index] as Part) : "")).join(""),
});

/** Takes text for HTML as it is. */
export const asHtml = (text: string): Html => ({ html: text });

function htmlOf(part: Part): string {
	if (part === null) return "";
	if (typeof part === "string" || typeof part === "number") return escaped(String(part));
	if ("html" in part) return part.html;
	return part.map(htmlOf).join("");
}

const ESCAPES: { readonly [character: string]: string } = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
