import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@hey-api/openapi-ts";

/*
 * Generates from openapi/operator.json the types of the operator's API and the table of its operations for the command
 * line; with `--check`, lists the stale files and exits 1. Part of `npm run gen` and `npm run check`.
 */

interface Schema {
	readonly $ref?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly enum?: readonly unknown[];
	readonly items?: Schema;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly maxLength?: number;
}

interface ApiOperation {
	readonly operationId: string;
	readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
	readonly responses: Readonly<Record<string, unknown>>;
}

interface ApiDocument {
	readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const ROOT = path.resolve(import.meta.dirname, "..");
const TYPES = "openapi/__generated__/operator.ts";
const OPERATIONS = "openapi/__generated__/operations.ts";

const document = JSON.parse(await readFile(path.join(ROOT, "openapi/operator.json"), "utf8")) as ApiDocument;
const written = { [TYPES]: await typesOf(document), [OPERATIONS]: operationsOf(document) };
const checkOnly = process.argv.includes("--check");
for (const [file, text] of Object.entries(written)) {
	const at = path.join(ROOT, file);
	const isStale = (await readFile(at, "utf8").catch(() => "")) !== text;
	if (isStale && checkOnly) {
		console.error(`${file} is stale: run npm run gen`);
		process.exitCode = 1;
	} else if (isStale) {
		await writeFile(at, text);
		console.log(`wrote ${file}`);
	}
}

/** The types of requests and successful replies, without descriptions, which are in the document. */
async function typesOf(api: ApiDocument): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-types-"));
	try {
		const input = { path: withoutWords(withoutErrors(api)) as Record<string, unknown> };
		const output = { path: folder, clean: true };
		await createClient({ input, output, plugins: ["@hey-api/typescript"], logs: { level: "silent" } });
		return await readFile(path.join(folder, "types.gen.ts"), "utf8");
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function withoutErrors(api: ApiDocument): ApiDocument {
	const isSuccess = ([status]: readonly [string, unknown]): boolean => status.startsWith("2");
	const paths = mapValues(api.paths, (operations) =>
		mapValues(operations, (operation) => ({
			...operation,
			responses: Object.fromEntries(Object.entries(operation.responses).filter(isSuccess)),
		})),
	);
	return { ...api, paths };
}

/** Removes descriptions, examples and headers, but keeps fields that have such a name. */
function withoutWords(value: unknown, isNames = false): unknown {
	if (Array.isArray(value)) return value.map((one) => withoutWords(one));
	if (typeof value !== "object" || value === null) return value;
	const kept = Object.entries(value).filter(
		([name]) => isNames || !["description", "summary", "example", "examples", "headers"].includes(name),
	);
	return Object.fromEntries(
		kept.map(([name, inner]) => [name, withoutWords(inner, !isNames && (name === "properties" || name === "schemas"))]),
	);
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** The table of operations: address, types, and the values that the document allows in their fields. */
function operationsOf(api: ApiDocument): string {
	const all = Object.entries(api.paths)
		.flatMap(([at, operations]) =>
			Object.entries(operations).map(([method, operation]) => ({ at, method: method.toUpperCase(), operation })),
		)
		.toSorted((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
	const types = all.map(({ operation: { operationId: id } }) => {
		const name = id.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
		return `\treadonly ${id}: Called<api.${name}Data, api.${name}Responses>;\n`;
	});
	const addresses = all.map(
		({ at, method, operation }) => `\t${operation.operationId}: "${method} ${at.replaceAll(/\{(\w+)\}/g, ":$1")}",\n`,
	);
	const keyed = all
		.filter(({ operation: { parameters = [] } }) => parameters.some(({ name }) => name === "Idempotency-Key"))
		.map(({ operation: { operationId: id } }) => `\t"${id}",\n`);
	const facts = all.flatMap(({ operation }) => {
		const fields = Object.entries(fieldsOf(api, operation)).flatMap(([name, schema]) => factsOf(name, schema));
		return fields.length === 0 ? [] : [`\t${operation.operationId}: {\n${fields.join("")}\t},\n`];
	});
	return `import type * as api from "./operator.ts";

/* The operations of the operator's API. Written by \`npm run gen\` from openapi/operator.json. */

interface Called<Data, Replies> {
	readonly data: Data;
	readonly replies: Replies;
}

export interface Operations {
${types.join("")}}

/** Method and path of each operation, by its id. */
export const ADDRESSES = {
${addresses.join("")}} as const satisfies { readonly [Id in keyof Operations]: string };

/** The writes that are carried out once under an Idempotency-Key. */
export const KEYED: ReadonlySet<string> = new Set([
${keyed.join("")}]);

/** Words and numbers that fields of the query and the body may have. */
export const FIELDS = {
${facts.join("")}} as const;
`;
}

function fieldsOf(api: ApiDocument, { parameters = [], requestBody }: ApiOperation): Record<string, Schema> {
	const query = parameters.filter((one) => one.in === "query").map(({ name, schema }) => [name, schema] as const);
	const body = resolved(api, requestBody?.content["application/json"]?.schema).properties ?? {};
	return { ...Object.fromEntries(query), ...body };
}

function resolved(api: ApiDocument, schema: Schema = {}): Schema {
	const name = schema.$ref?.split("/").at(-1);
	return name === undefined ? schema : (api.components.schemas[name] ?? {});
}

function factsOf(name: string, { enum: own, items, minimum, maximum }: Schema): string[] {
	const words = own ?? items?.enum;
	if (words !== undefined) return [`\t\t${name}: ${JSON.stringify(words.filter((word) => word !== null))},\n`];
	if (minimum === undefined || maximum === undefined || name === "limit") return [];
	return [`\t\t${name}: { least: ${minimum}, most: ${maximum} },\n`];
}
