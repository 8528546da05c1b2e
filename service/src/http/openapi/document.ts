import { type ApiDate, type ApiDates, type Shape, shapesOf } from "../api-date.ts";
import { HEADERS, repliesOf } from "./replies.ts";
import { Components, type Json, type JsonObject } from "./schemas.ts";
import type { Operation } from "../operation.ts";

const DESCRIPTION = `Live availability, holds and consumes over a manufacturer's lots.

Every success is \`{"data": …}\`, every error \`{"error": {"code", "message"}}\`: match on \`code\`, never on \`message\`. Send
\`Authorization: Bearer <API_KEY>:<SECRET>\`. Texts are well-formed Unicode without NUL, are never trimmed, and are measured in code
points. Unknown fields and parameters are refused. Times are RFC 3339 in UTC with milliseconds; counts are integers.`;

/** The OpenAPI 3.1 document of these operations on one API date. The same operations always give the same text. */
export function openApi(operations: readonly Operation[], date: ApiDate, dates: ApiDates): JsonObject {
	const components = new Components();
	const paths: { [path: string]: JsonObject } = {};
	for (const operation of operations.toSorted(byPath)) {
		const shape = shapesOf(operation, dates)[date.age] as Shape;
		const path = operation.path.replace(/:(\w+)/g, "{$1}");
		paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation, shape, components) };
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Holdfast partner API",
			version: date.date,
			description: DESCRIPTION,
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "/" }],
		security: [{ key: [] }],
		tags: [{ name: "Partner API", description: "What a partner with a key may do." }],
		paths,
		components: {
			schemas: components.all(),
			headers: HEADERS,
			parameters: PARAMETERS,
			securitySchemes: {
				key: {
					type: "http",
					scheme: "bearer",
					bearerFormat: "<API_KEY>:<SECRET>",
					description: "The two halves of a key joined by a colon: `pk_hf_…:sk_hf_…`.",
				},
			},
		},
	};
}

/** The document as it is committed. */
export const openApiText = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`;

const byPath = (a: Operation, b: Operation): number => {
	const [left, right] = [`${a.path} ${a.method}`, `${b.path} ${b.method}`];
	return left < right ? -1 : 1;
};

const PARAMETERS: JsonObject = {
	PartnerVersion: {
		name: "X-Partner-Version",
		in: "header",
		required: false,
		description: "An API date; without it the current one applies. Between two dates the earlier one applies.",
		schema: { type: "string", format: "date" },
		example: "2026-09-06",
	},
	IfNoneMatch: {
		name: "If-None-Match",
		in: "header",
		required: false,
		description: "The ETag of an earlier reply: answers 304 when nothing has changed.",
		schema: { type: "string" },
	},
};

function described(operation: Operation, shape: Shape, components: Components): JsonObject {
	const { id, summary, description, scope, conditional, examples } = operation;
	const needs = scope === null ? "Needs no key." : `Needs the scope \`${scope}\`.`;
	const head = conditional ? " HEAD is answered like GET, without the body." : "";
	const body: JsonObject =
		shape.body === undefined
			? {}
			: {
					requestBody: {
						required: true,
						content: {
							"application/json": {
								schema: components.refer(shape.body),
								...(examples.request === undefined ? {} : { example: examples.request as Json }),
							},
						},
					},
				};
	return {
		operationId: id,
		tags: ["Partner API"],
		summary,
		description: `${description}\n\n${needs}${head}`,
		...(scope === null ? { security: [] } : {}),
		parameters: parametersOf(operation, shape, components),
		...body,
		responses: repliesOf(operation, shape, components),
	};
}

function parametersOf(operation: Operation, shape: Shape, components: Components): Json[] {
	const shared: Json[] = operation.anyDate ? [] : [{ $ref: "#/components/parameters/PartnerVersion" }];
	if (operation.conditional) shared.push({ $ref: "#/components/parameters/IfNoneMatch" });
	const examples = (operation.method === "GET" ? operation.examples.request : undefined) as JsonObject | undefined;
	return [
		...shared,
		...fieldsOf(operation.params, components).map(({ name, schema }) => ({ name, in: "path", required: true, schema })),
		...fieldsOf(shape.query, components).map(({ name, schema, required }) => ({
			name,
			in: "query",
			required,
			schema,
			...(examples?.[name] === undefined ? {} : { example: examples[name] }),
		})),
	];
}

function fieldsOf(schema: Operation["query"], components: Components) {
	const { properties = {}, required = [] } = (schema ?? {}) as {
		properties?: Record<string, NonNullable<Operation["query"]>>;
		required?: string[];
	};
	return Object.entries(properties).map(([name, one]) => ({
		name,
		schema: components.refer(one),
		required: required.includes(name),
	}));
}
