import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { COUNTRIES, WITH_STATES } from "../service/src/inventory/orders/customer.ts";
import { camelName, isTimeName, snakeName } from "./src/client/camel.ts";

/*
 * Generates from the committed documents of the partner API and the COA address what the SDK knows about them: the
 * types of requests and replies in the SDK's own spelling (camelCase, times as Date), the codes of errors, the scope of
 * each operation, and the API date; from the pages about codes what the command `help` says; and from the service's
 * rule for addresses its countries. With `--check`, lists the stale files and exits 1. Part of `npm run gen` and `npm
 * run check`.
 */

type Json = Readonly<Record<string, unknown>>;

interface ApiDocument {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Json>> };
	readonly webhooks?: Json;
}

const API_DATE = "2026-09-06";
const ROOT = path.resolve(import.meta.dirname, "..");
const FOLDER = "sdk/src/wire/__generated__";
const SURFACES = ["partner", "coa"] as const;
/** Parameters and members of requests that are instants. */
const GIVEN_TIMES: ReadonlySet<string> = new Set(["asOf", "since", "updatedSince", "modifiedSince", "placedAfter"]);

const documents = await Promise.all(
	SURFACES.map(async (surface) => {
		const text = await readFile(path.join(ROOT, "openapi", surface, `${API_DATE}.json`), "utf8");
		return JSON.parse(text) as Json;
	}),
);
const types = await Promise.all(documents.map(typesOf));
const codes = codesIn(documents);
const written: Record<string, string> = {
	"codes.ts": codesOf(codes),
	"countries.ts": countriesOf(),
	"pages.ts": await pagesOf(codes),
	"scopes.ts": scopesOf(documents),
};
for (const [at, surface] of SURFACES.entries()) written[`${surface}.ts`] = types[at] ?? "";

const checkOnly = process.argv.includes("--check");
for (const [file, text] of Object.entries(written)) {
	const at = path.join(ROOT, FOLDER, file);
	const isStale = (await readFile(at, "utf8").catch(() => "")) !== text;
	if (isStale && checkOnly) {
		console.error(`${FOLDER}/${file} is stale: run npm run gen`);
		process.exitCode = 1;
	} else if (isStale) {
		await mkdir(path.dirname(at), { recursive: true });
		await writeFile(at, text);
		console.log(`wrote ${FOLDER}/${file}`);
	}
}

async function typesOf(document: Json): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-kit-"));
	try {
		const input = { path: inKitSpelling(document) };
		const output = { path: folder, clean: true };
		await createClient({ input, output, plugins: ["@hey-api/typescript"], logs: { level: "silent" } });
		const text = await readFile(path.join(folder, "types.gen.ts"), "utf8");
		return text
			.replace("\n", '\n\nimport type { GivenTime, UnknownWord } from "../given.ts";\n')
			.replaceAll(/\nexport type (?:Instant|GivenTime|UnknownWord) = string;\n/g, "")
			.replaceAll(/\bInstant\b/g, "Date");
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** The document with names in camelCase, times as references to `Instant`, and words of replies open to later ones. */
function inKitSpelling(document: Json): Record<string, unknown> {
	const { paths, components, webhooks } = document as unknown as ApiDocument;
	const { schemas } = components;
	const replied = new Set<string>();
	addReferences(webhooks, schemas, replied);
	for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
		addReferences(successesOf(responses as Record<string, Json>), schemas, replied);
	}
	const given = Object.fromEntries(
		Object.entries(schemas).map(([name, schema]) => [name, spelt(schema, replied.has(name))]),
	);
	const own = { Instant: { type: "string" }, UnknownWord: { type: "string" }, GivenTime: { type: "string" } };
	const operations = Object.entries(paths).map(([at, methods]) => [
		at.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `{${camelName(name)}}`),
		Object.fromEntries(
			Object.entries(methods).map(([method, operation]) => [
				method,
				{
					...(spelt({ ...operation, responses: undefined }, false) as Json),
					responses: spelt(successesOf(operation.responses as Record<string, Json>), true),
				},
			]),
		),
	]);
	return {
		...document,
		paths: Object.fromEntries(operations),
		webhooks: spelt(webhooks, true),
		components: { ...components, headers: {}, schemas: { ...given, ...own } },
	};
}

function successesOf(responses: Record<string, Json>): Json {
	const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
	return Object.fromEntries(good.map(([status, reply]) => [status, { ...reply, headers: undefined }]));
}

/** Adds the names of every schema that `value` refers to, also through others. */
function addReferences(value: unknown, schemas: Readonly<Record<string, Json>>, names: Set<string>): void {
	if (typeof value !== "object" || value === null) return;
	for (const [key, inner] of Object.entries(value)) {
		const name = key === "$ref" ? String(inner).split("/").at(-1) : undefined;
		if (name === undefined) addReferences(inner, schemas, names);
		else if (!names.has(name)) {
			names.add(name);
			addReferences(schemas[name], schemas, names);
		}
	}
}

function spelt(value: unknown, isReply: boolean): unknown {
	if (Array.isArray(value)) return value.map((one) => spelt(one, isReply));
	if (typeof value !== "object" || value === null) return value;
	const schema = value as Json;
	if (schema.format === "date-time") return referTo("Instant", schema);
	if (isReply && isListOfWords(schema)) {
		const { description, ...words } = schema;
		return { description, anyOf: [words, referTo("UnknownWord", {})] };
	}
	return Object.fromEntries(
		Object.entries(schema).flatMap(([key, inner]) => {
			if (key === "example" || key === "examples" || inner === undefined) return [];
			if (key === "properties") return [[key, speltProperties(inner as Record<string, Json>, isReply)]];
			if (key === "required" && Array.isArray(inner)) return [[key, inner.map(String).map(camelName)]];
			if (key === "parameters" && Array.isArray(inner)) return [[key, inner.map(speltParameter)]];
			return [[key, spelt(inner, isReply)]];
		}),
	);
}

function speltProperties(properties: Record<string, Json>, isReply: boolean): Json {
	return Object.fromEntries(
		Object.entries(properties).map(([name, schema]) => {
			const camel = camelName(name);
			if (snakeName(camel) !== name) throw new Error(`${name} does not survive camelCase.`);
			if (isReply && isTimeName(camel) !== isTime(schema)) {
				throw new Error(`${name}: the rule for names of times in camel.ts does not fit this name.`);
			}
			return [camel, !isReply && GIVEN_TIMES.has(camel) ? referTo("GivenTime", schema) : spelt(schema, isReply)];
		}),
	);
}

function speltParameter(parameter: Json): unknown {
	if (typeof parameter.name !== "string" || parameter.in === "header") return parameter;
	const name = camelName(parameter.name);
	const schema = GIVEN_TIMES.has(name) ? referTo("GivenTime", {}) : parameter.schema;
	return { ...parameter, name, schema, example: undefined };
}

function referTo(name: string, { description }: Json): Json {
	return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) };
}

function isTime({ format, anyOf }: Json): boolean {
	return format === "date-time" || (Array.isArray(anyOf) && anyOf.some((one) => isTime(one as Json)));
}

function isListOfWords({ enum: words }: Json): boolean {
	return Array.isArray(words) && words.length > 1 && words.every((word) => typeof word === "string");
}

function codesIn(all: readonly Json[]): string[] {
	const found = new Set<string>();
	for (const { paths } of all) addCodes(paths, found);
	return [...found].toSorted();
}

function codesOf(all: readonly string[]): string {
	const lines = all.map((code) => `\t"${code}",\n`);
	return `/* Written by \`npm run gen\` from openapi/. */

/** The API date that the SDK's types are those of; sent as \`X-Partner-Version\`. */
export const API_DATE = "${API_DATE}";

/** Every code that the documents name. */
export const CODES = [
${lines.join("")}] as const;
`;
}

async function pagesOf(all: readonly string[]): Promise<string> {
	const entries = await Promise.all(
		all.map(async (code) => {
			const page = await readFile(path.join(ROOT, "docs/errors", `${code}.md`), "utf8");
			const [when, todo] = ["When it happens", "What to do"].map((heading) => JSON.stringify(sectionOf(page, heading)));
			return `\t${code}: {\n\t\twhen: ${when},\n\t\ttodo: ${todo},\n\t},\n`;
		}),
	);
	return `/* Written by \`npm run gen\` from docs/errors/. */

/** What the page of each code says, as plain text: a line for each paragraph and each item of a list. */
export const PAGES = {
${entries.join("")}} as const;
`;
}

/** A section of a page without its soft line breaks and the targets of links. */
function sectionOf(page: string, heading: string): string {
	const [, section = ""] =
		new RegExp(`^## ${heading}\\n+([\\s\\S]+?)(?=\\n+## |\\s*$(?![\\s\\S]))`, "m").exec(page) ?? [];
	if (section === "" || section.includes("```")) throw new Error(`"${heading}" is no plain text in: ${page}`);
	return section
		.replaceAll(/\n\n+/g, "\n\n")
		.replaceAll(/(?<!\n)\n(?!\n|- )\s*/g, " ")
		.replaceAll(/\n\n/g, "\n")
		.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}

function scopesOf(all: readonly Json[]): string {
	const operations = all.flatMap(({ paths }) =>
		Object.entries(paths as ApiDocument["paths"]).flatMap(([at, methods]) =>
			Object.entries(methods).flatMap(([method, { description }]) => {
				const scope = /^Needs the scope `([\w.]+)`/m.exec(String(description))?.[1];
				return scope === undefined ? [] : [`\t"${method.toUpperCase()} ${at}": "${scope}",\n`];
			}),
		),
	);
	return `/* Written by \`npm run gen\` from openapi/. */

/** The scope that each operation needs; the others need none. */
export const SCOPES: { readonly [methodAndPath: string]: string } = {
${operations.join("")}};
`;
}

function countriesOf(): string {
	const lines = [...COUNTRIES].join(" ").match(/.{1,89}(?: |$)/g) ?? [];
	return `/* Written by \`npm run gen\` from the service's rule for addresses. */

/** The codes of ISO 3166-1 alpha-2. */
export const COUNTRIES =
${lines.map((line) => `\t"${line}"`).join(" +\n")};

/** Countries whose addresses require a state. */
export const WITH_STATES = "${[...WITH_STATES].join(" ")}";
`;
}

function addCodes(value: unknown, codes: Set<string>): void {
	if (typeof value !== "object" || value === null) return;
	const { code, message } = value as Record<string, Json | undefined>;
	if (Array.isArray(code?.enum) && message !== undefined) for (const word of code.enum) codes.add(String(word));
	for (const inner of Object.values(value)) addCodes(inner, codes);
}
