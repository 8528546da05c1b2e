import type { TSchema } from "typebox";
import type { Random } from "../random.ts";

/**
 * JSON text that no JavaScript value serializes to: `1e400`, an escaped half of a surrogate pair, a name given twice.
 */
export class RawJson {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

/**
 * Values that exist, so that nearly valid requests pass many checks: names of SKUs and brands, tokens and references
 * seen in replies.
 */
export interface Known {
	readonly skus: readonly string[];
	readonly brands: readonly string[];
	readonly tokens: string[];
	readonly references: string[];
	readonly cursors: string[];
}

interface JsonSchema {
	readonly type?: string;
	readonly properties?: Record<string, TSchema>;
	readonly required?: readonly string[];
	readonly items?: TSchema;
	readonly anyOf?: readonly TSchema[];
	readonly const?: unknown;
	readonly minimum?: number;
	readonly exclusiveMinimum?: number;
	readonly maximum?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
}

/** Lists are short, except occasionally. */
const USUAL_ITEMS = 3;

/** A value that the schema allows and that may exist. `name`: the field for which it is generated. */
export function fitting(random: Random, schema: TSchema, known: Known, name = ""): unknown {
	const { type, properties, items, anyOf, required = [], ...limits } = schema as JsonSchema;
	if (limits.const !== undefined) return limits.const;
	if (anyOf) return fitting(random, random.pick(anyOf), known, name);
	if (type === "object") {
		const fields = Object.entries(properties ?? {}).filter(([field]) => required.includes(field) || random.once(2));
		return Object.fromEntries(fields.map(([field, one]) => [field, fitting(random, one, known, field)]));
	}
	if (type === "array" && items) {
		const most = random.once(50) ? (limits.maxItems ?? USUAL_ITEMS) : USUAL_ITEMS;
		return Array.from({ length: random.between(limits.minItems ?? 0, most) }, () =>
			fitting(random, items, known, name),
		);
	}
	if (type === "integer" || type === "number") return someInteger(random, limits);
	if (type === "boolean") return random.once(2);
	return someText(random, known, name);
}

function someInteger(random: Random, { minimum, exclusiveMinimum, maximum }: JsonSchema): number {
	const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1);
	const most = maximum ?? 1_000;
	return random.once(4)
		? random.pick([least, most, random.between(least, most)])
		: Math.min(most, least + random.below(4));
}

/** By the name of the field; for other fields any text. */
function someText(random: Random, known: Known, name: string): string {
	if (random.once(12)) return random.pick(HOSTILE_TEXTS); // in its right place, with everything else right
	if (name === "sku") return random.pick(known.skus);
	if (name === "brand_code") return random.pick(known.brands);
	if (name.includes("token")) return random.pick(known.tokens);
	if (name === "cursor") return random.pick(known.cursors);
	if (name === "external_ref") return random.once(3) ? random.pick(known.references) : `ref-${random.below(1_000)}`;
	if (name.endsWith("_since")) return random.pick(["2020-01-01T00:00:00Z", "2026-09-06T12:00:00.5+02:00"]);
	return random.pick(HOSTILE_TEXTS);
}

/** Texts that broke somebody's software once. */
export const HOSTILE_TEXTS: readonly string[] = [
	"",
	" ",
	"\t\n",
	"\u0000",
	"a\u0000b",
	"\ud800",
	"\udfff\ud800",
	"x\udc00",
	"\ufeff",
	"\ufffe",
	"\u202e",
	"\u2028",
	"é\u0301",
	"😀".repeat(201),
	"x".repeat(201),
	"x".repeat(70_000),
	"'; drop table lot; --",
	"' or '1'='1",
	"$1",
	"%s%n",
	"%00",
	"\\u0000",
	"../../etc/passwd",
	"<script>alert(1)</script>",
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant as it stands
	"${jndi:ldap://x}",
	"{{7*7}}",
	"null",
	"undefined",
	"NaN",
	"true",
	"0",
	"-1",
	"1e400",
	"__proto__",
	"constructor",
	"SANDBOX",
	"SBX-PLENTY",
	"00000000-0000-0000-0000-000000000000",
	"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
	"2026-02-30T00:00:00Z",
	"9999999999-01-01T00:00:00Z",
	"+275760-09-13T00:00:00Z",
];

const NUMBERS = [
	"1e400",
	"-1e400",
	"1e-400",
	"-0",
	"0.1",
	"1.0",
	"1e2",
	"1E+2",
	"2147483648",
	"-2147483649",
	"9007199254740993",
	`1${"0".repeat(400)}`,
	"9223372036854775808",
	"0.0000000000000000000000000001",
	"1.7976931348623157e309",
];
const NO_JSON = [
	"NaN",
	"Infinity",
	"undefined",
	"0x10",
	"01",
	"+1",
	"1.",
	".5",
	"'x'",
	"/* */1",
	"\u0000",
	'"\\x41"',
	'"\\ud800"',
	'"\\u0000"',
	'"\\uD83D\\uDE00"',
	'"\n"',
	"nul",
	"tru",
	"[1,]",
	'{"a":1,}',
	"[",
	"{",
	"]",
	"}",
];
const NESTED = [`${"[".repeat(200)}${"]".repeat(200)}`, `${'{"a":'.repeat(200)}1${"}".repeat(200)}`];
const OBJECTS = [
	'{"__proto__":{"sku":"x"}}',
	'{"constructor":{"prototype":{}}}',
	'{"toJSON":1,"length":-1}',
	'{"then":1}',
	'{"$ref":"#"}',
	'{"sku":"ONE","sku":"TWO"}',
	'{"":1}',
	'{"items":{"length":100}}',
	"[[]]",
	"[null]",
	"[{}]",
];

/** A value that does not belong where it is put. */
export function hostile(random: Random): unknown {
	switch (random.below(9)) {
		case 0:
			return random.pick(HOSTILE_TEXTS);
		case 1:
			return new RawJson(random.pick(NUMBERS));
		case 2:
			return new RawJson(random.pick(NO_JSON));
		case 3:
			return new RawJson(random.pick(NESTED));
		case 4:
			return new RawJson(random.pick(OBJECTS));
		case 5:
			return random.pick([null, true, false, [], {}, "", 0, -1]);
		case 6:
			return random.between(-20_000, 20_000);
		case 7:
			return Array.from({ length: random.pick([0, 1, 101, 2_000]) }, () => null);
		default:
			return random.below(1_000) / 7;
	}
}

const NAMES = [
	"__proto__",
	"constructor",
	"prototype",
	"toString",
	"hasOwnProperty",
	"",
	"items",
	"sku",
	"qty",
	"ttl_minutes",
	"external_ref",
	"reservation_token",
	"brand_code",
	"a/b~c",
	"\u0000",
	"\ud800",
	"x".repeat(5_000),
	"é",
	"$where",
	"length",
];

/** The same value with one to three errors somewhere in it. */
export function spoiled(random: Random, value: unknown): unknown {
	let spoilt = value;
	for (let n = random.between(1, 3); n > 0; n--) spoilt = spoilOnce(random, spoilt);
	return spoilt;
}

function spoilOnce(random: Random, value: unknown): unknown {
	if (typeof value === "string" && random.once(2)) return random.pick(HOSTILE_TEXTS);
	const inside = typeof value === "object" && value !== null && !(value instanceof RawJson);
	if (!inside || random.once(6)) return hostile(random);
	if (Array.isArray(value)) return spoilList(random, value);
	const entries = Object.entries(value);
	const at = random.below(Math.max(1, entries.length));
	const [name, one] = entries[at] ?? ["x", null];
	const rest = entries.filter((_, index) => index !== at);
	switch (random.below(5)) {
		case 0:
			return fieldsOf(rest);
		case 1:
			return fieldsOf([...entries, [random.pick(NAMES), hostile(random)]]);
		case 2:
			return fieldsOf([...rest, [random.pick([name.toUpperCase(), `${name} `, random.pick(NAMES)]), one]]);
		case 3:
			return new RawJson(textOf(fieldsOf([...entries, ["\u0001", one]])).replace('"\\u0001"', JSON.stringify(name)));
		default:
			return fieldsOf([...rest, [name, spoilOnce(random, one)]]);
	}
}

function spoilList(random: Random, list: readonly unknown[]): unknown {
	const at = random.below(Math.max(1, list.length));
	switch (random.below(4)) {
		case 0:
			return [];
		case 1:
			return Array.from({ length: random.pick([2, 101, 1_000]) }, () => list[at] ?? null);
		case 2:
			return { ...list };
		default:
			return list.map((one, index) => (index === at ? spoilOnce(random, one) : one));
	}
}

/** Own fields only, whatever their names: `__proto__` is a field like any other. */
function fieldsOf(entries: readonly (readonly [string, unknown])[]): object {
	const fields = {};
	for (const [name, value] of entries) {
		Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
	}
	return fields;
}

/** JSON text, raw parts as they are. */
export function textOf(value: unknown): string {
	if (value instanceof RawJson) return value.text;
	if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		return `{${Object.entries(value)
			.map(([name, one]) => `${JSON.stringify(name)}:${textOf(one)}`)
			.join(",")}}`;
	}
	return JSON.stringify(value) ?? "null";
}
