/* Collections of requests for Bruno and Postman, made from the OpenAPI documents of what partners call. Pure. */

import {
	type DocumentedOperation,
	type Parameter,
	type ReferenceDocument,
} from "../partners/http/docs/reference-document.ts";

/** A document, and the variable that has its address in a collection. */
export interface Collected {
	readonly document: ReferenceDocument;
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
	const about = collected.map(({ document }) => document.description).join("\n\n");
	return [
		{ file: "bruno.json", content: brunoOf(folders, about) },
		{ file: "postman.json", content: postmanOf(folders, about) },
	].map(({ file, content }) => ({ file, text: `${JSON.stringify(content, null, "\t")}\n` }));
}

const foldersOf = ({ document: { groups, operations }, address }: Collected): Folder[] =>
	groups.map(({ name, description }) => ({
		name,
		description,
		requests: operations.filter(({ tags }) => tags[0] === name).map((one) => requestOf(one, address)),
	}));

function requestOf(
	{ method, path, summary, description, security, parameters, requestBody }: DocumentedOperation,
	address: Collected["address"],
): ExampleRequest {
	const values = (place: Parameter["in"]): Value[] => parameters.filter((one) => one.in === place).map(valueOf);
	const body = requestBody?.content["application/json"].example;
	return {
		name: summary,
		description,
		method,
		host: `{{${address}}}`,
		path: path.replace(/\{(\w+)\}/g, ":$1"),
		inPath: values("path"),
		query: values("query"),
		headers: values("header"),
		body: body === undefined ? null : JSON.stringify(body, null, 2),
		needsKey: security === undefined,
	};
}

function valueOf({ name, required, description, schema, example }: Parameter): Value {
	const value = example === undefined ? (required ? REFERENCE : "") : String(example);
	return {
		name,
		value,
		isSent: required || example !== undefined,
		description: description ?? schema.description ?? "",
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
