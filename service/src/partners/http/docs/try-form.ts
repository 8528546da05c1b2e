import { asHtml, type Html, html } from "./html.ts";
import type { DocumentedOperation, Parameter } from "./reference-document.ts";

/** Headers that every operation has and no trial needs. */
const LEFT_OUT: ReadonlySet<string> = new Set(["X-Partner-Version", "If-None-Match"]);
/** Minimum and maximum number of lines of the body field. */
const LINES = { least: 4, most: 24 } as const;

/** A form that sends the operation to this service. Hidden without scripts. */
export function tryForm(one: DocumentedOperation): Html {
	const { method, path, security, parameters, requestBody } = one;
	const fields = parameters.filter(({ name }) => !LEFT_OUT.has(name)).map(fieldOf);
	const body = requestBody?.content["application/json"].example;
	return html`<p class="instead">The form needs scripts: send the request above from a terminal.</p>
<div class="try" hidden>
<p>The request goes to the service that shows this page. With a live key it acts on live stock.</p>
<form data-method="${method}" data-path="${path}">
${
	security === undefined
		? html`<label for="try-key">Your key, <code>pk_hf_…:sk_hf_…</code>. It stays in this tab.</label>
<input id="try-key" name="key" type="password" autocomplete="off" required>
`
		: null
}${fields}${requestBody === undefined ? null : bodyOf(body)}<button type="submit">Send ${method}</button>
</form>
<pre class="answer" tabindex="0" role="status" aria-label="The answer">No request was sent yet.</pre>
</div>
`;
}

function fieldOf({ name, in: where, required, example }: Parameter): Html {
	const id = `try-${where}-${name}`;
	return html`<label for="${id}"><code>${name}</code></label>
<input id="${id}" name="${name}" data-in="${where}" autocomplete="off" value="${example === undefined ? "" : String(example)}"${required ? asHtml(" required") : null}>
`;
}

function bodyOf(example: unknown): Html {
	const text = JSON.stringify(example ?? {}, null, 2);
	const lines = Math.min(LINES.most, Math.max(LINES.least, text.split("\n").length));
	return html`<label for="try-body">Body</label>
<textarea id="try-body" name="body" rows="${lines}" spellcheck="false">${text}</textarea>
`;
}
