import { PREFIX, relativeLink } from "./address.ts";
import { operationSamples } from "./operation-samples.ts";
import {
	addressOfOperation,
	DOCUMENT,
	type DocumentedOperation,
	type Media,
	REFERENCE,
	type ReferenceDocument,
} from "./reference-document.ts";
import { meaningOf, objectsIn, type Schema, type Schemas, wordsOf } from "./schema-words.ts";

export function indexMarkdown({ title, description, groups, operations }: ReferenceDocument): string {
	const lists = groups.map(({ name, description: words }) => {
		const entries = operations
			.filter(({ tags }) => tags.includes(name))
			.map(
				(one) =>
					`- [${one.summary}](${relativeLink(REFERENCE, addressOfOperation(one))}.md): \`${one.method} ${one.path}\``,
			);
		return `## ${name}\n\n${words}\n\n${entries.join("\n")}`;
	});
	const document = `For programs: [the OpenAPI 3.1 document](${relativeLink(REFERENCE, DOCUMENT)}).`;
	return [`# ${title}: API reference`, description, document, ...lists, ""].join("\n\n");
}

/** An operation as Markdown: its input, its replies, and every error. */
export function operationMarkdown(one: DocumentedOperation, { schemas }: ReferenceDocument, origin: string): string {
	const { method, path, summary, description, parameters, requestBody, responses } = one;
	const body = requestBody?.content["application/json"];
	const samples = operationSamples(one, origin).map(({ language, code }) => fenced(language, code));
	const parts = [`# ${summary}`, `\`${method} ${path}\``, description, ...samples];
	if (parameters.length > 0) {
		const lines = parameters.map(({ name, in: where, required, description: words, schema }) =>
			lineOf(
				`${name} (${where})`,
				`${wordsOf(schema, schemas)}${required ? ", required" : ""}`,
				words ?? schema.description ?? "",
			),
		);
		parts.push("## Parameters", lines.join("\n"));
	}
	if (body !== undefined) parts.push("## Body", fieldLines(body.schema, schemas, "required").join("\n"));
	for (const [status, { content = {}, description: words }] of Object.entries(responses)) {
		if (!status.startsWith("2")) continue;
		parts.push(`## Success: ${status}`, ...(Object.keys(content).length === 0 ? [words] : []));
		for (const [type, media] of Object.entries(content)) parts.push(...contentOf(type, media, schemas));
	}
	return [...parts, "## Errors", errorLines(one).join("\n"), ""].join("\n\n");
}

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const lineOf = (name: string, type: string, words: string): string =>
	`- \`${name}\`: ${type}${words === "" ? "" : `. ${words.replace(/\s*\n\s*/g, " ")}`}`;

function contentOf(type: string, { schema, example }: Media, schemas: Schemas): string[] {
	if (type !== "application/json") return [`The body is \`${type}\`.`];
	const fields = fieldLines(schema.properties?.data ?? schema, schemas, "optional");
	return [fenced("json", JSON.stringify(example, null, 2)), "Fields of `data`:", fields.join("\n")];
}

/** The fields of a value as a list, nested as they are. */
function fieldLines(given: Schema, schemas: Schemas, mark: "required" | "optional"): string[] {
	return objectsIn(given, schemas).flatMap(({ properties = {}, required = [] }) =>
		Object.entries(properties).flatMap(([name, schema]) => {
			const note = required.includes(name) === (mark === "required") ? `, ${mark}` : "";
			const own = lineOf(name, `${wordsOf(schema, schemas)}${note}`, meaningOf(schema, schemas));
			return [own, ...fieldLines(schema, schemas, mark).map((line) => `  ${line}`)];
		}),
	);
}

function errorLines(one: DocumentedOperation): string[] {
	return Object.entries(one.responses)
		.filter(([status]) => !status.startsWith("2") && status !== "304")
		.flatMap(([status, { content = {} }]) =>
			Object.entries(content["application/json"]?.examples ?? {}).map(([code, { value }]) => {
				const page = relativeLink(addressOfOperation(one), `${PREFIX}/errors/${code}.md`);
				return `- ${status} [\`${code}\`](${page}): ${value.error.message}`;
			}),
		);
}
