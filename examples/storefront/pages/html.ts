/** Text that is HTML already. */
export interface Html {
	readonly text: string;
}
type Value = string | number | Html | false | null | undefined | readonly Value[];

/** A template whose values are escaped, unless they are HTML themselves. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
	text: parts.map((part, at) => part + textOf(values[at])).join(""),
});

function textOf(value: Value): string {
	if (value === null || value === undefined || value === false) return "";
	if (typeof value === "object") return "text" in value ? value.text : value.map(textOf).join("");
	return String(value).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

export const page = (title: string, content: Html): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} – Storefront</title>
<link rel="stylesheet" href="/style.css"><link rel="icon" href="data:,">
<body>
<a class="skip" href="#content">Skip to content</a>
<header><nav><a href="/">Storefront</a> <a href="/cart">Cart</a></nav></header>
<main id="content">
<h1>${title}</h1>
${content}
</main>
`;

/** A page of one sentence. */
export const notice = (title: string, sentence: string): Html => page(title, html`<p>${sentence}</p>`);
