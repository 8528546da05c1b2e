import { type ApiDate, NO_DATES, type Shape, shapesOf } from "../api-date.ts";
import type { Operation } from "../operation.ts";
import type { OperationGroup, SurfaceDocument } from "../surface.ts";
import { headersOf, repliesOf } from "./replies.ts";
import { Components, type Json, type JsonObject } from "./schemas.ts";

/** The OpenAPI 3.1 document of a surface with these operations, on one of its API dates. Deterministic. */
export function openApi(surface: SurfaceDocument, operations: readonly Operation[], date: ApiDate): JsonObject {
	const { title, description, dates, security } = surface;
	const groups = groupsOf(surface, operations);
	const components = new Components();
	const paths: { [path: string]: JsonObject } = {};
	for (const operation of inOrder(groups, operations)) {
		const shape = shapesOf(operation, dates ?? NO_DATES)[date.age] as Shape;
		const path = operation.path.replace(/:(\w+)/g, "{$1}");
		paths[path] = {
			...paths[path],
			[operation.method.toLowerCase()]: {
				...described(surface, operation, shape, components),
				tags: groups.filter((group) => group.operations.includes(operation.id)).map(({ name }) => name),
			},
		};
	}
	return {
		openapi: "3.1.0",
		info: {
			title,
			version: dates === null ? UNDATED_VERSION : date.date,
			description,
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "/" }],
		security: [{ [security.id]: [] }],
		tags: groups.map(({ name, description }) => ({ name, description })),
		paths,
		...webhooksOf(surface, components),
		components: {
			schemas: components.all(),
			headers: used(headersOf(surface), "headers", paths),
			parameters: used(PARAMETERS, "parameters", paths),
			securitySchemes: { [security.id]: { ...security.scheme } },
		},
	};
}

/** The events that are posted to callers' endpoints. */
function webhooksOf({ events = {} }: SurfaceDocument, components: Components): JsonObject {
	const webhooks = Object.entries(events).map(([type, { summary, schema }]) => [
		type,
		{
			post: {
				operationId: `on_${type.replace(".", "_")}`,
				summary,
				description:
					"Signed as the Standard Webhooks specification describes: `webhook-id`, `webhook-timestamp`, `webhook-signature`. The same event may arrive twice, with the same id.",
				security: [],
				requestBody: { required: true, content: { "application/json": { schema: components.refer(schema) } } },
				responses: {
					"2XX": { description: "Received: it is not sent again." },
					"410": { description: "The endpoint no longer exists: it is deactivated." },
				},
			},
		},
	]);
	return webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) as JsonObject };
}

/** The shared headers or parameters that an operation refers to. */
function used(shared: JsonObject, kind: "headers" | "parameters", paths: JsonObject): JsonObject {
	const text = JSON.stringify(paths);
	return Object.fromEntries(Object.entries(shared).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

/** The version in the document of a surface without API dates, because OpenAPI requires one. */
const UNDATED_VERSION = "undated";

/** The text of the document as committed. */
export const openApiText = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`;

/** The groups that have operations here, followed by one for ungrouped operations. */
function groupsOf({ groups = [], tag }: SurfaceDocument, operations: readonly Operation[]): OperationGroup[] {
	const named = new Set(groups.flatMap((group) => group.operations));
	const others = operations.filter(({ id }) => !named.has(id)).toSorted(byPath);
	return [...groups, { ...tag, operations: others.map(({ id }) => id) }]
		.map((group) => ({
			...group,
			operations: group.operations.filter((id) => operations.some((one) => one.id === id)),
		}))
		.filter((group) => group.operations.length > 0);
}

const inOrder = (groups: readonly OperationGroup[], operations: readonly Operation[]): Operation[] =>
	groups.flatMap((group) => group.operations.flatMap((id) => operations.filter((one) => one.id === id)));

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

function described(surface: SurfaceDocument, operation: Operation, shape: Shape, components: Components): JsonObject {
	const { id, summary, description, scope, conditional } = operation;
	const needs = scope === null ? `Needs no ${surface.security.caller}.` : surface.security.needs(scope);
	const head = conditional ? " HEAD is answered like GET, without the body." : "";
	return {
		operationId: id,
		summary,
		description: `${description}\n\n${needs}${head}`,
		...(scope === null ? { security: [] } : {}),
		parameters: parametersOf(surface, operation, shape, components),
		...bodyOf(operation, shape, components),
		responses: repliesOf(surface, operation, shape, components),
	};
}

function bodyOf({ files, examples }: Operation, { body }: Shape, components: Components): JsonObject {
	if (body === undefined) return {};
	const schema = components.refer(body);
	const content = {
		"application/json": { schema, ...(examples.request === undefined ? {} : { example: examples.request as Json }) },
	};
	return { requestBody: { required: true, content: { ...content, ...formOf(files, schema) } } };
}

function formOf(files: Operation["files"], data: Json): JsonObject {
	if (files === undefined) return {};
	const { most, types, description } = files;
	const file = { type: "array", items: { type: "string", format: "binary" }, maxItems: most, description };
	const schema = { type: "object", properties: { data, file }, additionalProperties: false };
	const encoding = { data: { contentType: "application/json" }, file: { contentType: types.join(", ") } };
	return { "multipart/form-data": { schema, encoding } };
}

function parametersOf(surface: SurfaceDocument, operation: Operation, shape: Shape, components: Components): Json[] {
	const undated = operation.anyDate || surface.dates === null;
	const shared: Json[] = undated ? [] : [{ $ref: "#/components/parameters/PartnerVersion" }];
	if (operation.conditional) shared.push({ $ref: "#/components/parameters/IfNoneMatch" });
	const examples = (operation.method === "GET" ? operation.examples.request : undefined) as JsonObject | undefined;
	return [
		...shared,
		...fieldsOf(operation.params, components).map(({ name, schema }) => ({
			name,
			in: "path",
			required: true,
			schema,
			...exampleOf(operation.examples.params, name),
		})),
		...Object.entries(operation.headers ?? {}).map(([name, { schema, missing }]) => {
			const { description = "", ...text } = components.refer(schema) as JsonObject;
			return { name, in: "header", required: missing !== null, description, schema: text };
		}),
		...fieldsOf(shape.query, components).map(({ name, schema, required }) => ({
			name,
			in: "query",
			required,
			schema,
			...exampleOf(examples, name),
		})),
	];
}

const exampleOf = (examples: JsonObject | undefined, name: string): JsonObject =>
	examples?.[name] === undefined ? {} : { example: examples[name] };

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
