/* Collections of requests for Bruno and Postman, made from the OpenAPI documents of what partners call. Pure. */

interface Parameter {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required?: boolean;
	readonly description?: string;
	readonly schema?: { readonly description?: string };
	readonly example?: string | number | boolean;
}

interface DocumentedOperation {
	readonly summary: string;
	readonly description: string;
	readonly tags: readonly string[];
	readonly security?: readonly unknown[];
	readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
	readonly requestBody?: { readonly content: { readonly "application/json": { readonly example?: unknown } } };
}

/** As much of an OpenAPI document as a collection needs. */
export interface ApiDocument {
	readonly info: { readonly description: string };
	readonly tags: readonly { readonly name: string; readonly description: string }[];
	readonly paths: { readonly [path: string]: { readonly [method: string]: DocumentedOperation } };
	readonly components: { readonly parameters?: { readonly [name: string]: Parameter } };
}

/** A document, and the variable that has its address in a collection. */
export interface Collected {
	readonly document: ApiDocument;
	readonly address: "baseUrl" | "coaUrl";
}

const NAME = "Holdfast";
/** What a reader sets, with the addresses of a service on this machine. */
const VARIABLES = { baseUrl: "http://127.0.0.1:4000", coaUrl: "http://127.0.0.1:4001", token: "" };
const SECRET = "token";
const TOKEN = `{{${SECRET}}}`;
/** The reference of the examples, for a required header without its own example. */
const REFERENCE = "cart-1001";

interface Value {
	readonly name: string;
	readonly value: string;
	/** Optional parameters without an example are offered, but not sent. */
	readonly isSent: boolean;
	readonly description: string;
}

interface ExampleRequest {
	readonly name: string;
	readonly description: string;
	readonly method: string;
	/** As `{{baseUrl}}`. */
	readonly host: string;
	/** Parameters in it are `:name`. */
	readonly path: string;
	readonly inPath: readonly Value[];
	readonly query: readonly Value[];
	readonly headers: readonly Value[];
	/** JSON; null: it has no body. */
	readonly body: string | null;
	readonly needsKey: boolean;
}

interface Folder {
	readonly name: string;
	readonly description: string;
	readonly requests: readonly ExampleRequest[];
}

/** The collections as committed: path below `fixtures/collections/`, and text. */
export function collectionsOf(collected: readonly Collected[]): { readonly file: string; readonly text: string }[] {
	const folders = collected.flatMap(foldersOf);
	const about = collected.map(({ document }) => document.info.description).join("\n\n");
	return [
		{ file: "bruno.json", content: brunoOf(folders, about) },
		{ file: "postman.json", content: postmanOf(folders, about) },
	].map(({ file, content }) => ({ file, text: `${JSON.stringify(content, null, "\t")}\n` }));
}

function foldersOf({ document, address }: Collected): Folder[] {
	const requests = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			tag: operation.tags[0],
			request: requestOf(document, operation, { method, path, address }),
		})),
	);
	return document.tags.map(({ name, description }) => ({
		name,
		description,
		requests: requests.filter(({ tag }) => tag === name).map(({ request }) => request),
	}));
}

function requestOf(
	{ components }: ApiDocument,
	{ summary, description, security, parameters = [], requestBody }: DocumentedOperation,
	{ method, path, address }: { readonly method: string; readonly path: string; readonly address: string },
): ExampleRequest {
	const all = parameters.map((one) => ("$ref" in one ? referenced(components, one.$ref) : one));
	const values = (place: Parameter["in"]): Value[] => all.filter((one) => one.in === place).map(valueOf);
	const body = requestBody?.content["application/json"].example;
	return {
		name: summary,
		description,
		method: method.toUpperCase(),
		host: `{{${address}}}`,
		path: path.replace(/\{(\w+)\}/g, ":$1"),
		inPath: values("path"),
		query: values("query"),
		headers: values("header"),
		body: body === undefined ? null : JSON.stringify(body, null, 2),
		needsKey: security === undefined,
	};
}

function referenced({ parameters = {} }: ApiDocument["components"], ref: string): Parameter {
	const found = parameters[ref.replace("#/components/parameters/", "")];
	if (found === undefined) throw new Error(`${ref} is not in the document`);
	return found;
}

function valueOf({ name, required = false, description, schema, example }: Parameter): Value {
	const value = example === undefined ? (required ? REFERENCE : "") : String(example);
	return {
		name,
		value,
		isSent: required || example !== undefined,
		description: description ?? schema?.description ?? "",
	};
}

const searchOf = (query: readonly Value[]): string => {
	const sent = query.filter(({ isSent }) => isSent).map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
	return sent.length === 0 ? "" : `?${sent.join("&")}`;
};

/** The form in which Bruno exports and imports a collection. */
function brunoOf(folders: readonly Folder[], about: string): object {
	const value =
		(type?: "query" | "path") =>
		({ name, value: text, isSent, description }: Value): object => ({
			name,
			value: text,
			description,
			...(type === undefined ? {} : { type }),
			enabled: isSent,
		});
	const item = (one: ExampleRequest, index: number): object => ({
		type: "http-request",
		name: one.name,
		seq: index + 1,
		request: {
			url: one.host + one.path + searchOf(one.query),
			method: one.method,
			headers: one.headers.map(value()),
			params: [...one.query.map(value("query")), ...one.inPath.map(value("path"))],
			auth: { mode: one.needsKey ? "inherit" : "none" },
			body: one.body === null ? { mode: "none" } : { mode: "json", json: one.body },
			docs: one.description,
		},
	});
	const variables = Object.entries(VARIABLES).map(([name, text]) => ({
		name,
		value: text,
		type: "text",
		enabled: true,
		secret: name === SECRET,
	}));
	return {
		name: NAME,
		version: "1",
		items: folders.map(({ name, description, requests }, index) => ({
			type: "folder",
			name,
			seq: index + 1,
			root: { docs: description },
			items: requests.map(item),
		})),
		environments: [{ name: NAME, variables }],
		root: { request: { auth: { mode: "bearer", bearer: { token: TOKEN } } }, docs: about },
		brunoConfig: { version: "1", name: NAME, type: "collection" },
	};
}

/** Postman's collection format, version 2.1. */
function postmanOf(folders: readonly Folder[], about: string): object {
	const value = ({ name, value: text, isSent, description }: Value): object => ({
		key: name,
		value: text,
		description,
		...(isSent ? {} : { disabled: true }),
	});
	const item = (one: ExampleRequest): object => ({
		name: one.name,
		request: {
			method: one.method,
			description: one.description,
			...(one.needsKey ? {} : { auth: { type: "noauth" } }),
			header: [
				...one.headers.map(value),
				...(one.body === null ? [] : [{ key: "Content-Type", value: "application/json" }]),
			],
			url: {
				raw: one.host + one.path + searchOf(one.query),
				host: [one.host],
				path: one.path.slice(1).split("/"),
				query: one.query.map(value),
				variable: one.inPath.map(({ name, value: text, description }) => ({ key: name, value: text, description })),
			},
			...(one.body === null ? {} : { body: { mode: "raw", raw: one.body, options: { raw: { language: "json" } } } }),
		},
	});
	return {
		info: {
			name: NAME,
			description: about,
			schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
		},
		auth: { type: "bearer", bearer: [{ key: "token", value: TOKEN, type: "string" }] },
		variable: Object.entries(VARIABLES).map(([key, text]) => ({ key, value: text, type: "string" })),
		item: folders.map(({ name, description, requests }) => ({ name, description, item: requests.map(item) })),
	};
}
