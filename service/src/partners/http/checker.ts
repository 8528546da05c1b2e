import Type, { type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { must } from "../../ground/lib/assert.ts";
import { nearest } from "../../ground/lib/nearest.ts";
import { type Finding, MAX_NAMED } from "./findings.ts";
import type { JsonSchema } from "./json-schema.ts";
import { shortenerOf } from "./shorten-lists.ts";
import { VISIBLE_IN_A_PATH } from "./text.ts";

/** Returns null if the value fits, otherwise a non-empty list of findings. TypeBox itself stops after eight. */
export type Checker = (value: unknown) => readonly Finding[] | null;

export interface CheckerOptions {
	/** The word for a member of the value in messages. Absent: `field`. */
	readonly noun?: "field" | "parameter";
	/** JSON pointers of parts that are checked only if everything outside them fits. */
	readonly subtrees?: readonly string[];
}

/** Maximum number of characters shown of a pointer: the name of an unknown field is the caller's own text. */
const MAX_POINTER_LENGTH = 80;

/** A finding as TypeBox reports it. */
interface RawFinding {
	readonly keyword: string;
	readonly instancePath: string;
	readonly schemaPath: string;
	readonly params: Record<string, unknown>;
}

/**
 * `schema` undefined: no member is allowed. A schema is compiled when its first value is checked: a process that
 * serves a single command checks few of them, and compiling all would take longer than the command.
 */
export function checkerOf(schema: TSchema | undefined, options: CheckerOptions = {}): Checker {
	let checker: Checker | null = null;
	return (value) => (checker ??= compile(schema, options))(value);
}

function compile(schema: TSchema | undefined, { noun = "field", subtrees = [] }: CheckerOptions): Checker {
	const unknown = `unknown ${noun}`;
	if (schema === undefined) {
		return (value) => {
			const given = Object.keys(value as object);
			return given.length === 0 ? null : given.map((name) => ({ where: pointer(name), problem: unknown }));
		};
	}
	const validator = Compile(schema);
	const shorten = shortenerOf(schema);
	const outside = subtrees.length === 0 ? null : checkerOf(withoutSubtrees(schema, subtrees), { noun });
	return (value) => {
		if (validator.Check(value)) return null;
		const first = outside === null ? null : outside(value);
		if (first !== null) return first;
		const short = shorten(value);
		const pathOf = (path: string): string => short.pathOf(path);
		const many = tooMany(schema, short.value, "", unknown);
		// TypeBox examines the whole value to report a few findings, so the value must be small
		if (many.length > 0) return many.map(({ where, problem }) => ({ where: pathOf(where), problem }));
		const found = (validator.Errors(short.value) as RawFinding[]).map((one) => ({
			...one,
			instancePath: pathOf(one.instancePath),
		}));
		return findingsOf(found, schema, (path) => unknown + meant(schema, path));
	};
}

/** The same schema, with any value, or none, allowed at these JSON pointers. */
const withoutSubtrees = (schema: TSchema, pointers: readonly string[]): TSchema =>
	pointers.reduce((rest, at) => withoutSubtree(rest, at.slice(1).split("/")), schema);

function withoutSubtree(schema: TSchema, [name = "", ...below]: readonly string[]): TSchema {
	const { properties = {}, required = [] } = schema as JsonSchema;
	const part = must(properties[name], `the schema of ${name}, which has a code of its own`);
	const looser = below.length === 0 ? Type.Unknown() : withoutSubtree(part, below);
	const still = below.length === 0 ? required.filter((one) => one !== name) : required;
	return { ...schema, properties: { ...properties, [name]: looser }, required: still };
}

/**
 * The first list that is too long, or object with too many unknown fields. Entries are counted before they are looked
 * at.
 */
function tooMany(schema: TSchema, value: unknown, at: string, unknown: string): Finding[] {
	const { properties, items, maxItems } = schema as JsonSchema;
	if (Array.isArray(value)) {
		if (maxItems !== undefined && value.length > maxItems) {
			return [{ where: shortened(at) || "/", problem: limitWords("maxItems", maxItems) }];
		}
		return items === undefined
			? []
			: firstOf(value, (one: unknown, index) => tooMany(items, one, `${at}/${index}`, unknown));
	}
	if (properties === undefined || typeof value !== "object" || value === null) return [];
	const strange = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
	if (strange.length > MAX_NAMED) {
		return strange.slice(0, MAX_NAMED + 1).map((name) => ({ where: shortened(at + pointer(name)), problem: unknown }));
	}
	return firstOf(Object.entries(properties), ([name, one]) =>
		tooMany(one, (value as Record<string, unknown>)[name], at + pointer(name), unknown),
	);
}

function firstOf<T>(list: readonly T[], look: (one: T, index: number) => Finding[]): Finding[] {
	for (const [index, one] of list.entries()) {
		const found = look(one, index);
		if (found.length > 0) return found;
	}
	return [];
}

/** Suggests the field that an unknown one at this JSON pointer probably stands for. */
function meant(schema: TSchema, path: string): string {
	const names = path.split("/").slice(1);
	const name = names.pop() ?? "";
	let at: TSchema | undefined = schema;
	for (const step of names) {
		const within: JsonSchema = at ?? {};
		at = within.properties === undefined ? within.items : within.properties[step];
	}
	const near = nearest(
		name.slice(0, MAX_POINTER_LENGTH),
		Object.keys((at as JsonSchema | undefined)?.properties ?? {}),
	);
	return near === null ? "" : ` (did you mean ${near}?)`;
}

function findingsOf(findings: readonly RawFinding[], schema: TSchema, unknown: (path: string) => string): Finding[] {
	const choices = new Set(findings.filter(({ keyword }) => keyword === "anyOf").map((one) => one.instancePath));
	return findings.flatMap((finding): Finding[] => {
		const { keyword, params, instancePath } = finding;
		const at = instancePath === "" ? "/" : shortened(instancePath);
		if (keyword === "additionalProperties") return []; // each unknown field has its own finding, `boolean`
		if (keyword === "boolean") return [{ where: at, problem: unknown(instancePath) }];
		if (keyword === "anyOf") return [{ where: at, problem: choice(findings, instancePath) }];
		if (choices.has(instancePath)) return [];
		if (keyword === "required") {
			return names(params.requiredProperties).map((name) => ({ where: under(at, name), problem: "required" }));
		}
		return [{ where: at, problem: exactLength(schema, finding) ?? expectation(finding) }];
	});
}

/** If the schema's text has a fixed length: what was expected, with an example if there is one; otherwise null. */
function exactLength(schema: TSchema, { keyword, schemaPath }: RawFinding): string | null {
	if (keyword !== "minLength" && keyword !== "maxLength") return null;
	const at = schemaPath
		.split("/")
		.slice(1)
		.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], schema);
	const { minLength, maxLength, examples } = (at ?? {}) as {
		minLength?: number;
		maxLength?: number;
		examples?: string[];
	};
	if (minLength === undefined || minLength !== maxLength) return null;
	return `expected exactly ${minLength} characters${examples === undefined ? "" : `, such as ${examples.join(", ")}`}`;
}

const under = (at: string, name: string): string => shortened(`${at === "/" ? "" : at}${pointer(name)}`);

/** The expectation for one of several alternatives. */
function choice(findings: readonly RawFinding[], path: string): string {
	const ways = findings
		.filter((one) => one.instancePath === path && one.keyword !== "anyOf")
		.map((one) => expectation(one).replace(/^expected /, ""));
	return ways.length === 0 ? NOT_ACCEPTED : `expected ${[...new Set(ways)].join(" or ")}`;
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

function limitWords(keyword: string, limit: number): string {
	const words = (LIMITS[keyword] ?? NOT_ACCEPTED).replace("#", String(limit));
	return limit === 1 ? words.replace(/ entries$/, " entry").replace(/ characters$/, " character") : words;
}

const NOT_ACCEPTED = "not an accepted value";

function expectation({ keyword, params }: RawFinding): string {
	if (LIMITS[keyword] !== undefined) return limitWords(keyword, Number(params.limit));
	if (keyword === "type") return `expected ${article(String(params.type))}`;
	if (keyword === "const") return `expected ${JSON.stringify(params.allowedValue)}`;
	if (keyword === "enum") return `expected one of ${JSON.stringify(params.allowedValues)}`;
	if (keyword === "format") return `expected ${article(String(params.format))}`;
	if (keyword === "pattern") {
		const pattern = String(params.pattern);
		if (pattern === VISIBLE_IN_A_PATH)
			return "expected visible ASCII, and neither . nor .., which no address can end in";
		return pattern.includes("u0000")
			? "expected well-formed Unicode without NUL"
			: `expected text that matches ${pattern}`;
	}
	return NOT_ACCEPTED;
}

const article = (noun: string): string => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;

/** A JSON pointer (RFC 6901) to a top-level field, printable and of bounded length. */
function pointer(name: string): string {
	return shortened(`/${name.slice(0, MAX_POINTER_LENGTH).replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

function shortened(path: string): string {
	const printable = path.toWellFormed().replace(/\p{Cc}/gu, "\uFFFD");
	return printable.length > MAX_POINTER_LENGTH
		? `${printable.slice(0, MAX_POINTER_LENGTH).toWellFormed()}…`
		: printable;
}
