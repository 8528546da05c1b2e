import { PREFIX, relativeLink } from "./address.ts";
import { type Html, html } from "./html.ts";
import { anchorOf, asText, type Heading, renderWords, samplesOf } from "./markdown.ts";
import { operationSamples } from "./operation-samples.ts";
import {
	addressOfOperation,
	DOCUMENT,
	type DocumentedOperation,
	type Media,
	type Parameter,
	REFERENCE,
	type ReferenceDocument,
} from "./reference-document.ts";
import { fieldsOf, type Schemas, wordsOf } from "./schema-words.ts";
import { tryForm } from "./try-form.ts";

export interface PageText {
	readonly html: string;
	readonly headings: readonly Heading[];
}

const heading = (level: number, text: string): { readonly mark: Html; readonly heading: Heading } => {
	const anchor = anchorOf(text);
	const mark = level === 2 ? html`<h2 id="${anchor}">${text}</h2>\n` : html`<h3 id="${anchor}">${text}</h3>\n`;
	return { mark, heading: { level, anchor, text } };
};

/** All operations in the order of the document, under the headings of their groups. */
export function renderIndex({ title, description, groups, operations }: ReferenceDocument): PageText {
	const shown = groups.map((group) => ({
		...heading(2, group.name),
		description: group.description,
		entries: operations.filter(({ tags }) => tags.includes(group.name)),
	}));
	const parts = shown.map(
		({ mark, description, entries }) => html`${mark}<p>${renderWords(description)}</p>
<ul>
${entries.map(
	(one) =>
		html`<li><a href="${relativeLink(REFERENCE, addressOfOperation(one))}">${one.summary}</a><br><code>${one.method} ${one.path}</code></li>\n`,
)}</ul>
`,
	);
	const head = html`<h1>${title}: API reference</h1>
${asText(description)}<p>For programs: <a href="${relativeLink(REFERENCE, DOCUMENT)}">the OpenAPI 3.1 document</a>.</p>
`;
	return { html: html`${head}${parts}`.html, headings: shown.map((one) => one.heading) };
}

/** One operation: its input, its replies, every error with its page, and a form to try it. `origin`: of the samples. */
export function renderOperation(one: DocumentedOperation, { schemas }: ReferenceDocument, origin: string): PageText {
	const headings: Heading[] = [];
	const titled = (text: string): Html => {
		const { mark, heading: made } = heading(2, text);
		headings.push(made);
		return mark;
	};
	const body = one.requestBody?.content["application/json"];
	const page = html`<h1>${one.summary}</h1>
<p class="path"><b>${one.method}</b> ${one.path}</p>
${asText(one.description)}${samplesOf(operationSamples(one, origin))}${
	one.parameters.length === 0
		? null
		: html`${titled("Parameters")}<dl class="fields">\n${one.parameters.map((parameter) => parameterOf(parameter, schemas))}</dl>\n`
}${body === undefined ? null : html`${titled("Body")}${fieldsOf(body.schema, schemas, "required")}`}
${titled("Success")}${successesOf(one, schemas)}${titled("Errors")}${errorsOf(one)}${titled("Try it")}${tryForm(one)}`;
	return { html: page.html, headings };
}

function parameterOf({ name, in: where, required, description, schema }: Parameter, schemas: Schemas): Html {
	const note = `${PLACES[where]}, ${wordsOf(schema, schemas)}${required ? ", required" : ""}`;
	return html`<dt><code>${name}</code> <span class="quiet">${note}</span></dt>
<dd>${renderWords(description ?? schema.description ?? "")}</dd>
`;
}

const PLACES = { path: "in the path", query: "in the query", header: "a header" } as const;

const isSuccess = (status: string): boolean => status.startsWith("2") || status === "304";

function successesOf({ responses }: DocumentedOperation, schemas: Schemas): Html[] {
	return Object.entries(responses)
		.filter(([status]) => isSuccess(status))
		.map(([status, { headers = {}, content = {}, description }]) => {
			const own = Object.entries(headers).filter(([, { $ref }]) => $ref === undefined);
			const { mark } = heading(3, status);
			return html`${mark}${status === "304" ? html`<p>${description}</p>\n` : null}${
				own.length === 0
					? null
					: html`<dl class="fields">\n${own.map(
							([name, { description }]) =>
								html`<dt><code>${name}</code> <span class="quiet">a header, not always</span></dt>\n<dd>${renderWords(description ?? "")}</dd>\n`,
						)}</dl>\n`
			}${Object.entries(content).map(([type, media]) => contentOf(type, media, schemas))}`;
		});
}

function contentOf(type: string, { schema, example }: Media, schemas: Schemas): Html {
	if (type !== "application/json") return html`<p>The body is <code>${type}</code>.</p>\n`;
	const data = schema.properties?.data ?? schema;
	return html`<pre tabindex="0"><code class="language-json">${JSON.stringify(example, null, 2)}</code></pre>
<details><summary>Every field of <code>data</code></summary>
${fieldsOf(data, schemas, "optional")}</details>
`;
}

function errorsOf({ operationId, responses }: DocumentedOperation): Html {
	const from = `${REFERENCE}/${operationId}`;
	const rows = Object.entries(responses)
		.filter(([status]) => !isSuccess(status))
		.flatMap(([status, { content = {} }]) =>
			Object.entries(content["application/json"]?.examples ?? {}).map(
				([code, { value }]) =>
					html`<tr><td>${status}</td><td><a href="${relativeLink(from, `${PREFIX}/errors/${code}`)}"><code>${code}</code></a></td><td>${value.error.message}</td></tr>\n`,
			),
		);
	return html`<div class="table" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">A message, for example</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}
