import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { CURRENT_API_DATE, ERROR_STATUS } from "../src/glossary.ts";

/** A reply as a client saw it. Header names in lower case; `body` parsed, null when there was none. */
export interface SeenReply {
	/** The surface whose document it must match; the partner API's by default. */
	readonly surface?: "partner" | "coa" | "operator";
	readonly method: string;
	/** With or without query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
	readonly body: unknown;
}

type Schema = { [name: string]: unknown };
interface ReplyDocument {
	headers?: { [name: string]: { $ref?: string; required?: boolean } };
	content?: { [type: string]: { schema: Schema } };
}
interface Document {
	paths: { [path: string]: { [method: string]: { responses: { [status: string]: ReplyDocument } } } };
	components: { headers: { [name: string]: { required?: boolean } }; schemas: { [name: string]: Schema } };
}

const FOLDER = path.resolve(import.meta.dirname, "../../openapi");
const ALWAYS = ["x-partner-version", "x-request-id"];
const ENVELOPE = {
	type: "object",
	required: ["error"],
	additionalProperties: false,
	properties: {
		error: {
			type: "object",
			required: ["code", "message"],
			additionalProperties: false,
			properties: { code: { enum: Object.keys(ERROR_STATUS) }, message: { type: "string", minLength: 1 } },
		},
	},
};
/** Replies that any connection can get, whatever it requested: for unknown paths, and for input that is not HTTP. */
const ANYWHERE = new Set([400, 404, 405, 408, 413, 431]);

/**
 * Throws if a reply does not match the OpenAPI document of its date in status, headers, content type or shape. Fields
 * that the document does not name are errors too.
 */
export function checkReply(reply: SeenReply): void {
	const { surface = "partner" } = reply;
	const date = headerOf(reply, "x-partner-version") ?? CURRENT_API_DATE;
	const problem = documentOf(surface === "operator" ? surface : `${surface}/${date}`).problem(reply);
	if (problem !== null) {
		throw new Error(
			`${reply.method} ${reply.path} answered ${reply.status} outside the OpenAPI document of ${date}: ${problem}\n${JSON.stringify(reply.body)}`,
		);
	}
}

class Checks {
	readonly #document: Document;
	readonly #ajv: Ajv2020;
	readonly #paths: {
		pattern: RegExp;
		methods: { [method: string]: { responses: { [status: string]: ReplyDocument } } };
	}[];
	/** By the text of the schema: most replies of the document have one of a few. */
	readonly #compiled = new Map<string, ValidateFunction>();

	constructor(document: Document) {
		this.#document = document;
		this.#ajv = new Ajv2020({ strict: false, allErrors: true });
		addFormats.default(this.#ajv);
		// each by its name, so that it is compiled once, however many replies refer to it
		for (const [name, schema] of Object.entries(document.components.schemas))
			this.#ajv.addSchema(close(schema) as Schema, name);
		// a path without parameters is matched before one with them (OpenAPI, "Path Templating Matching"); `{id}.csv`
		// before `{id}`
		const templates = Object.entries(document.paths).toSorted(
			([a], [b]) => Number(a.includes("{")) - Number(b.includes("{")) || b.length - a.length,
		);
		this.#paths = templates.map(([template, methods]) => ({
			pattern: new RegExp(`^${template.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
			methods,
		}));
	}

	problem(reply: SeenReply): string | null {
		const always = reply.surface === "operator" ? ["x-request-id"] : ALWAYS; // this surface has no API dates
		const missing = always.find((name) => headerOf(reply, name) === undefined);
		if (missing !== undefined) return `it lacks the header ${missing}`;
		const unhelpful = helpProblem(reply);
		if (unhelpful !== null) return unhelpful;
		const responses = this.#responsesOf(reply);
		if (responses === null || (responses[reply.status] === undefined && reply.status === 431))
			return this.#elsewhere(reply);
		const declared = responses[reply.status];
		if (declared === undefined) return `the status is not declared (${Object.keys(responses).join(", ")})`;
		return this.#headers(reply, declared) ?? this.#body(reply, declared);
	}

	#responsesOf({ method, path: url }: SeenReply): { [status: string]: ReplyDocument } | null {
		const bare = url.split("?", 1)[0] ?? "";
		const found = this.#paths.find(({ pattern }) => pattern.test(bare));
		if (method !== "HEAD") return found?.methods[method.toLowerCase()]?.responses ?? null;
		// an operation that can answer 304 also answers HEAD
		const got = found?.methods.get?.responses;
		return got?.[304] === undefined ? null : got;
	}

	/** A path or method that the document does not have. */
	#elsewhere(reply: SeenReply): string | null {
		if (!ANYWHERE.has(reply.status)) return "there is no such operation, and this is not how one is refused";
		if (reply.status === 405 && headerOf(reply, "allow") === undefined) return "405 without Allow";
		return reply.method === "HEAD" ? null : this.#shape(ENVELOPE, reply);
	}

	#headers(reply: SeenReply, declared: ReplyDocument): string | null {
		for (const [name, { $ref, required }] of Object.entries(declared.headers ?? {})) {
			const needed =
				$ref === undefined ? required : this.#document.components.headers[$ref.split("/").at(-1) ?? ""]?.required;
			if (needed && headerOf(reply, name) === undefined) return `it lacks the header ${name}`;
		}
		const code = (reply.body as { error?: { code?: string } } | null)?.error?.code;
		const waits = code === "rate_limited" || code === "retry";
		return waits && !/^[1-9]\d*$/.test(headerOf(reply, "retry-after") ?? "")
			? "Retry-After is not whole seconds"
			: null;
	}

	#body(reply: SeenReply, { content }: ReplyDocument): string | null {
		if (content === undefined || reply.method === "HEAD")
			return reply.body === null || reply.body === "" ? null : "it has a body";
		const type = headerOf(reply, "content-type");
		const json = content["application/json"];
		if (type === "application/json; charset=utf-8" && json !== undefined) return this.#shape(json.schema, reply);
		return type !== undefined && content[type] !== undefined ? null : `its content type is ${type}`;
	}

	#shape(schema: Schema, { body }: SeenReply): string | null {
		const text = JSON.stringify(schema);
		let validate = this.#compiled.get(text);
		if (validate === undefined) {
			validate = this.#ajv.compile(close(schema) as Schema);
			this.#compiled.set(text, validate);
		}
		return validate(body) ? null : this.#ajv.errorsText(validate.errors, { dataVar: "body" });
	}
}

/** An error links to the page about its code. */
function helpProblem(reply: SeenReply): string | null {
	const code = (reply.body as { error?: { code?: string } } | null)?.error?.code;
	const link = headerOf(reply, "link") ?? "";
	if (code === undefined || link.includes(`/docs/errors/${code}>; rel="help"`)) return null;
	return `its Link does not lead to the page of ${code}: ${link}`;
}

const REFERENCE = "#/components/schemas/";

/** The same schema, without other fields than those that it names, and with bare names of those that it refers to. */
function close(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(close);
	if (typeof schema !== "object" || schema === null) return schema;
	const closed = Object.fromEntries(
		Object.entries(schema).map(([name, one]) => {
			if (name === "$ref" && typeof one === "string") return [name, one.replace(REFERENCE, "")];
			return [name, name === "enum" ? one : close(one)];
		}),
	);
	return "properties" in schema ? { ...closed, unevaluatedProperties: false } : closed;
}

const documents = new Map<string, Checks>();

/** `name`: surface and date, as in the file's name. */
function documentOf(name: string): Checks {
	const known = documents.get(name);
	if (known !== undefined) return known;
	const checks = new Checks(JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8")) as Document);
	documents.set(name, checks);
	return checks;
}

function headerOf({ headers }: SeenReply, name: string): string | undefined {
	if (headers instanceof Headers) return headers.get(name) ?? undefined;
	const value = headers[name.toLowerCase()] ?? headers[name];
	return Array.isArray(value) ? value.join(", ") : value;
}
