import type { TSchema } from "typebox";
import { assert } from "../../../ground/lib/assert.ts";
import { PORTABLE_PATTERNS } from "../text.ts";
import { wordsFor } from "./words.ts";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The titled schemas, each once, under `components/schemas`. */
export class Components {
	readonly #schemas = new Map<string, JsonObject>();

	/** The schema in OpenAPI's form: titled parts become references to components. */
	refer(schema: TSchema): Json {
		return this.#moved(JSON.parse(JSON.stringify(schema)));
	}

	/** Stores a schema under a name and returns the reference to it. */
	define(name: string, schema: JsonObject): JsonObject {
		const known = this.#schemas.get(name);
		assert(
			known === undefined || JSON.stringify(known) === JSON.stringify(schema),
			`two different schemas are titled ${name}`,
		);
		this.#schemas.set(name, schema);
		return { $ref: `#/components/schemas/${name}` };
	}

	/** All of them, by name. */
	all(): JsonObject {
		return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	}

	#moved(value: Json): Json {
		if (Array.isArray(value)) return value.map((one) => this.#moved(one));
		if (typeof value !== "object" || value === null) return value;
		const moved = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#moved(one)]));
		const schema = described(portable(choiceOfWords(moved) ?? moved));
		return typeof schema.title === "string" ? this.define(schema.title, schema) : schema;
	}
}

const portable = ({ pattern, ...rest }: JsonObject): JsonObject =>
	typeof pattern === "string" ? { ...rest, pattern: PORTABLE_PATTERNS[pattern] ?? pattern } : rest;

/** Adds a description to each field that the contract leaves without one. */
function described({ properties, ...rest }: JsonObject): JsonObject {
	if (rest.type !== "object" || typeof properties !== "object" || properties === null) {
		return properties === undefined ? rest : { ...rest, properties };
	}
	const fields = Object.entries(properties).map(([name, field]) => {
		const words = wordsFor(rest.title, name);
		const isOpen = typeof field === "object" && field !== null && !("description" in field) && words !== undefined;
		return [name, isOpen ? { ...field, description: words } : field];
	});
	return { ...rest, properties: Object.fromEntries(fields) as JsonObject };
}

/** A union of literal texts reads better as an `enum`. */
function choiceOfWords({ anyOf, ...rest }: JsonObject): JsonObject | null {
	if (!Array.isArray(anyOf)) return null;
	const words = anyOf.map((one) => (typeof one === "object" && one !== null && "const" in one ? one.const : undefined));
	if (!words.every((word) => typeof word === "string")) return null;
	return { type: "string", enum: words, ...rest };
}
