import { must } from "../../../ground/lib/assert.ts";
import { type Html, html } from "./html.ts";
import { renderWords } from "./markdown.ts";

/** The parts of an OpenAPI schema that the pages show. */
export interface Schema {
	readonly $ref?: string;
	readonly type?: string;
	readonly format?: string;
	readonly description?: string;
	readonly const?: unknown;
	readonly enum?: readonly unknown[];
	readonly anyOf?: readonly Schema[];
	readonly properties?: { readonly [name: string]: Schema };
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly exclusiveMinimum?: number;
}

export type Schemas = { readonly [name: string]: Schema };

/** Resolves a schema that is only a reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
	if (schema.$ref === undefined) return schema;
	return must(schemas[schema.$ref.replace("#/components/schemas/", "")], schema.$ref);
}

/** Describes a type in words, without patterns: a text with a pattern is described by its format or description. */
export function wordsOf(given: Schema, schemas: Schemas): string {
	const schema = resolved(given, schemas);
	if (schema.anyOf !== undefined) return schema.anyOf.map((one) => wordsOf(one, schemas)).join(" or ");
	if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
	if (schema.enum !== undefined) return `one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`;
	if (schema.type === "array") {
		const entries = wordsOf(schema.items ?? {}, schemas);
		const count = range(schema.minItems, schema.maxItems, "entry", "entries");
		return MANY[entries] === undefined ? `list${count}, each ${entries}` : `list of ${MANY[entries]}${count}`;
	}
	const name = FORMATS[schema.format ?? ""] ?? TYPES[schema.type ?? ""] ?? "any value";
	if (schema.type === "string" && schema.format === undefined) {
		const least = schema.minLength === 1 ? undefined : schema.minLength; // not worth stating
		return name + range(least, schema.maxLength, "character", "characters");
	}
	const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? undefined : schema.exclusiveMinimum + 1);
	return name + range(least === 0 ? undefined : least, schema.maximum);
}

const TYPES: { readonly [type: string]: string } = {
	string: "text",
	integer: "integer",
	number: "number",
	boolean: "true or false",
	object: "object",
	null: "null",
};

const MANY: { readonly [words: string]: string } = {
	text: "texts",
	integer: "integers",
	object: "objects",
	uuid: "uuids",
};

const FORMATS: { readonly [format: string]: string } = {
	uuid: "uuid",
	date: "day, YYYY-MM-DD",
	"date-time": "instant, RFC 3339 in UTC",
};

const COUNT = new Intl.NumberFormat("en");

function range(least: number | undefined, most: number | undefined, one = "", many = ""): string {
	const unit = (count: number): string => (many === "" ? "" : ` ${count === 1 ? one : many}`);
	if (least !== undefined && most !== undefined) {
		if (least === most) return `, ${COUNT.format(most)}${unit(most)}`;
		return `, ${COUNT.format(least)} to ${COUNT.format(most)}${unit(most)}`;
	}
	if (most !== undefined) return `, at most ${COUNT.format(most)}${unit(most)}`;
	return least === undefined ? "" : `, at least ${COUNT.format(least)}${unit(least)}`;
}

/** The objects in a value: itself, its entries, or its alternatives. */
export function objectsIn(given: Schema, schemas: Schemas): Schema[] {
	const schema = resolved(given, schemas);
	if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => objectsIn(one, schemas));
	if (schema.type === "array" && schema.items !== undefined) return objectsIn(schema.items, schemas);
	return schema.properties === undefined ? [] : [schema];
}

/** The fields of a value, each with its type and meaning, and its nested fields. */
export function fieldsOf(given: Schema, schemas: Schemas, mark: "required" | "optional"): Html[] {
	return objectsIn(given, schemas).map(({ properties = {}, required = [] }) => {
		const fields = Object.entries(properties).map(([name, schema]) => {
			const isRequired = required.includes(name);
			const note = isRequired === (mark === "required") ? `, ${mark}` : "";
			const means = meaningOf(schema, schemas);
			return html`<dt><code>${name}</code> <span class="quiet">${wordsOf(schema, schemas)}${note}</span></dt>
<dd>${means === "" ? null : renderWords(means)}${fieldsOf(schema, schemas, mark)}</dd>
`;
		});
		return html`<dl class="fields">\n${fields}</dl>\n`;
	});
}

/** What a field means, as its schema, or the one that it refers to, describes it; empty if none does. */
export const meaningOf = (schema: Schema, schemas: Schemas): string =>
	schema.description ?? resolved(schema, schemas).description ?? alternativesMean(schema);

/** The description of a nullable value's only described alternative. */
const alternativesMean = ({ anyOf = [] }: Schema): string =>
	anyOf.find(({ description }) => description !== undefined)?.description ?? "";
