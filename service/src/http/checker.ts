import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** Null when the value fits, else one sentence per field that does not: its JSON pointer and what was expected. */
export type Checker = (value: unknown) => string | null;

/** Fields one message names. TypeBox itself stops looking after eight findings. */
const MAX_NAMED = 7;
/** Characters of a pointer that are shown: an unknown field's name is the caller's own text. */
const MAX_POINTER_LENGTH = 80;

interface Finding {
	readonly keyword: string;
	readonly instancePath: string;
	readonly schemaPath: string;
	readonly params: Record<string, unknown>;
}

/** Compiles a schema once; `schema` undefined: nothing may be given. */
export function checkerOf(schema: TSchema | undefined): Checker {
	if (schema === undefined) {
		return (value) => {
			const given = Object.keys(value as object);
			return given.length === 0 ? null : describe(given.map((name) => [pointer(name), "unknown"]));
		};
	}
	const validator = Compile(schema);
	return (value) => {
		if (validator.Check(value)) return null;
		const many = tooMany(schema, value, "");
		// TypeBox looks at everything there is to name a few of its findings: that must not be much
		return describe(many.length > 0 ? many : linesOf(validator.Errors(value) as Finding[]));
	};
}

interface JsonSchema {
	readonly properties?: Readonly<Record<string, TSchema>>;
	readonly items?: TSchema;
	readonly maxItems?: number;
}

/** The first list that is too long, or object with more unknown fields than a message names: counted before anything in it is looked at. */
function tooMany(schema: TSchema, value: unknown, at: string): Line[] {
	const { properties, items, maxItems } = schema as JsonSchema;
	if (Array.isArray(value)) {
		if (maxItems !== undefined && value.length > maxItems) {
			return [[shortened(at) || "/", LIMITS.maxItems?.replace("#", String(maxItems)) ?? ""]];
		}
		return items === undefined ? [] : firstOf(value, (one: unknown, index) => tooMany(items, one, `${at}/${index}`));
	}
	if (properties === undefined || typeof value !== "object" || value === null) return [];
	const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
	if (unknown.length > MAX_NAMED) {
		return unknown.slice(0, MAX_NAMED + 1).map((name) => [shortened(at + pointer(name)), "unknown"]);
	}
	return firstOf(Object.entries(properties), ([name, one]) =>
		tooMany(one, (value as Record<string, unknown>)[name], at + pointer(name)),
	);
}

function firstOf<T>(list: readonly T[], look: (one: T, index: number) => Line[]): Line[] {
	for (const [index, one] of list.entries()) {
		const found = look(one, index);
		if (found.length > 0) return found;
	}
	return [];
}

type Line = readonly [pointer: string, expected: string];

function describe(lines: readonly Line[]): string {
	const fields = new Map<string, string>();
	for (const [where, expected] of lines) if (!fields.has(where)) fields.set(where, expected);
	const named = [...fields].slice(0, MAX_NAMED).map(([where, expected]) => `${where}: ${expected}`);
	return `${named.join("; ")}${fields.size > MAX_NAMED ? "; and more" : ""}.`;
}

function linesOf(findings: readonly Finding[]): Line[] {
	const choices = new Set(findings.filter(({ keyword }) => keyword === "anyOf").map((one) => one.instancePath));
	return findings.flatMap((finding): Line[] => {
		const { keyword, params, instancePath } = finding;
		const at = instancePath === "" ? "/" : shortened(instancePath);
		if (keyword === "additionalProperties") return []; // each unknown field has a finding of its own, `boolean`
		if (keyword === "boolean") return [[at, "unknown"]];
		if (keyword === "anyOf") return [[at, choice(findings, instancePath)]];
		if (choices.has(instancePath)) return [];
		if (keyword === "required") return names(params.requiredProperties).map((name) => [under(at, name), "required"]);
		return [[at, expectation(finding)]];
	});
}

const under = (at: string, name: string): string => shortened(`${at === "/" ? "" : at}${pointer(name)}`);

/** What would have fitted one of several alternatives. */
function choice(findings: readonly Finding[], path: string): string {
	const ways = findings
		.filter((one) => one.instancePath === path && one.keyword !== "anyOf")
		.map((one) => expectation(one).replace(/^expected /, ""));
	return `expected ${[...new Set(ways)].join(" or ") || "another value"}`;
}

const names = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

const LIMITS: { readonly [keyword: string]: string } = {
	minLength: "expected at least # characters",
	maxLength: "expected at most # characters",
	minItems: "expected at least # entries",
	maxItems: "expected at most # entries",
	minimum: "expected a number of at least #",
	maximum: "expected a number of at most #",
	exclusiveMinimum: "expected a number above #",
	exclusiveMaximum: "expected a number below #",
};

function expectation({ keyword, params }: Finding): string {
	const limit = LIMITS[keyword];
	if (limit !== undefined) return limit.replace("#", String(params.limit));
	if (keyword === "type") return `expected ${article(String(params.type))}`;
	if (keyword === "const") return `expected ${JSON.stringify(params.allowedValue)}`;
	if (keyword === "enum") return `expected one of ${JSON.stringify(params.allowedValues)}`;
	if (keyword === "format") return `expected ${article(String(params.format))}`;
	if (keyword === "pattern") {
		return String(params.pattern).includes("u0000")
			? "expected well-formed Unicode without NUL"
			: `expected text that matches ${String(params.pattern)}`;
	}
	return "expected another value";
}

const article = (noun: string): string => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;

/** A JSON pointer (RFC 6901) to a field of the whole, printable and of bounded length. */
function pointer(name: string): string {
	return shortened(`/${name.slice(0, MAX_POINTER_LENGTH).replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

function shortened(path: string): string {
	const printable = path.toWellFormed().replace(/\p{Cc}/gu, "\uFFFD");
	return printable.length > MAX_POINTER_LENGTH
		? `${printable.slice(0, MAX_POINTER_LENGTH).toWellFormed()}…`
		: printable;
}
