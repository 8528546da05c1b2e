import type { TSchema } from "typebox";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

/** The type of a parameter before its schema checks it. */
type Kind = "text" | "integer" | "boolean" | "texts";
export type QueryValues = Record<string, unknown>;

/** Maximum number of parameters of one request. */
const MAX_PARAMETERS = 1000;
const INTEGER = /^-?(?:0|[1-9][0-9]{0,15})$/;

/** Reads a query by its schema: decodes strictly, converts integers and booleans, refuses single values given twice. */
export function queryReader(schema: TSchema | undefined): (url: string) => QueryValues | Refusal<"invalid_input"> {
	const kinds = new Map(Object.entries(propertiesOf(schema)).map(([name, one]) => [name, kindOf(one)]));
	return (url) => {
		const query: QueryValues = {};
		const start = url.indexOf("?");
		if (start < 0 || start === url.length - 1) return query;
		const pairs = url.slice(start + 1).split("&", MAX_PARAMETERS + 1);
		if (pairs.length > MAX_PARAMETERS) return refuse("invalid_input", `More than ${MAX_PARAMETERS} query parameters.`);
		for (const pair of pairs) {
			if (pair === "") continue;
			const problem = take(query, pair, kinds);
			if (problem !== null) return refuse("invalid_input", problem);
		}
		return query;
	};
}

function take(query: QueryValues, pair: string, kinds: ReadonlyMap<string, Kind>): string | null {
	const split = pair.indexOf("=");
	const name = decode(split < 0 ? pair : pair.slice(0, split));
	const text = decode(split < 0 ? "" : pair.slice(split + 1));
	if (name === null || text === null) return "The query is not valid percent-encoded UTF-8.";
	const kind = kinds.get(name);
	// unknown parameters are kept for the schema to name; defineProperty, because `__proto__` must not be special
	const given = Object.hasOwn(query, name);
	if (kind === "texts") {
		if (given) (query[name] as string[]).push(text);
		else query[name] = [text];
		return null;
	}
	if (given) return kind === undefined ? null : `/${name}: given more than once; expected one value.`;
	Object.defineProperty(query, name, {
		value: valueOf(text, kind),
		enumerable: true,
		writable: true,
		configurable: true,
	});
	return null;
}

function valueOf(text: string, kind: Kind | undefined): unknown {
	if (kind === "integer" && INTEGER.test(text)) return Number(text);
	if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
	return text;
}

function decode(text: string): string | null {
	try {
		return decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
	} catch {
		return null;
	}
}

const propertiesOf = (schema: TSchema | undefined): Record<string, TSchema> =>
	(schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};

function kindOf(schema: TSchema): Kind {
	const { type } = schema as { type?: string };
	if (type === "integer" || type === "number") return "integer";
	if (type === "boolean") return "boolean";
	return type === "array" ? "texts" : "text";
}
