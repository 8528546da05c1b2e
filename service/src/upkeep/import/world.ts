import { type Static, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { SCOPES } from "../../glossary.ts";
import { snakeCase } from "../../ground/lib/as-reply.ts";
import { Closed } from "../../ground/lib/closed.ts";
import { isDay, parseInstant } from "../../ground/lib/instant.ts";
import { MAX_CODE_LENGTH, MAX_COMPONENTS, MAX_NAME_LENGTH, MAX_PER_KIT } from "../../inventory/catalog/entries.ts";
import {
	formulasNamedTwice,
	type Wrong,
	wrongComponents,
	wrongFormulaCode,
	wrongSkuCode,
} from "../../inventory/catalog/row-rules.ts";
import { MAX_UNITS } from "../../inventory/stock/limits.ts";
import { type MintRequest, wrongInKey } from "../../partners/keys/key-rules.ts";
import {
	MAX_HELD_UNITS,
	MAX_KEY_NAME_LENGTH,
	MAX_PARTNER_NAME_LENGTH,
	MAX_REQUESTS_PER_MINUTE,
} from "../../partners/keys/limits.ts";
import { PRESETS, type Preset } from "../../partners/keys/scopes.ts";
import { type EntryKind, type EntryOf, type Place, type Placed, type Problem, pointAt, type World } from "./entries.ts";

// error messages use `description` as the expected value
const text = (max: number) =>
	Type.String({
		minLength: 1,
		maxLength: max,
		pattern: "^[^\\u0000\\ud800-\\udfff]*$",
		description: `a text of 1 to ${max} characters`,
	});
const codeText = text(MAX_CODE_LENGTH);
/** A trailing blank would make a second lot that looks like the first. */
const batchText = Type.String({
	minLength: 1,
	maxLength: MAX_CODE_LENGTH,
	pattern: "^(?!\\s)[^\\u0000\\ud800-\\udfff]*(?<!\\s)$",
	description: `a text of 1 to ${MAX_CODE_LENGTH} characters without white space at either end`,
});
const nameText = text(MAX_NAME_LENGTH);
const orNull = <T>(schema: { type?: unknown; description?: string }, what: string) =>
	Type.Unsafe<T | null>({ anyOf: [schema, { type: "null" }], description: `${what}, or null` });
const brand = orNull<string>(codeText, "the code of a brand");
const day = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
const units = (least: number) =>
	Type.Integer({
		minimum: least,
		maximum: MAX_UNITS,
		description: `a whole number of units, ${least} to ${MAX_UNITS}`,
	});
const numberOrNull = (most: number) =>
	Type.Optional(
		orNull<number>({ type: "integer", minimum: 1, maximum: most } as object, `a whole number, 1 to ${most}`),
	);

const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

const ROWS = {
	brands: Closed({ code: codeText, name: nameText }),
	formulas: Closed({
		code: codeText,
		name: nameText,
		status: Type.Enum(["draft", "active", "archived"], { description: "draft, active or archived" }),
	}),
	products: Closed({ slug: codeText, name: nameText }),
	skus: Closed({
		sku: codeText,
		name: nameText,
		product: Type.Optional(orNull<string>(codeText, "the slug of a product")),
		kind: Type.Enum(["single", "kit", "non_physical"], { description: "single, kit or non_physical" }),
		vial_size: Type.Optional(orNull<string>(codeText, "a text")),
		components: Type.Optional(
			Type.Array(
				Closed({
					formula: codeText,
					per_kit: Type.Integer({
						minimum: 1,
						maximum: MAX_PER_KIT,
						description: `a whole number of units, 1 to ${MAX_PER_KIT}`,
					}),
				}),
				{ maxItems: MAX_COMPONENTS, description: `a list of at most ${MAX_COMPONENTS} {formula, per_kit}` },
			),
		),
	}),
	lots: Closed({
		formula: codeText,
		brand_code: brand,
		batch_number: batchText,
		expires_on: Type.Optional(orNull<string>(day, "a day, YYYY-MM-DD")),
		received_on: Type.Optional(orNull<string>(day, "a day, YYYY-MM-DD")),
		units: units(1),
	}),
	demand: Closed({ formula: codeText, brand_code: brand, units: units(0), reference: codeText }),
	buffers: Closed({ formula: codeText, brand_code: brand, units: units(0) }),
	partners: Closed({ name: text(MAX_PARTNER_NAME_LENGTH) }),
	keys: Closed({
		name: text(MAX_KEY_NAME_LENGTH),
		partner: text(MAX_PARTNER_NAME_LENGTH),
		environment: Type.Enum(["live", "sandbox"], { description: "live or sandbox" }),
		brand_code: Type.Optional(brand),
		preset: Type.Optional(Type.Enum(PRESET_NAMES, { description: `one of ${PRESET_NAMES.join(", ")}` })),
		scopes: Type.Optional(
			Type.Array(Type.Enum([...SCOPES], { description: `one of ${SCOPES.join(", ")}` }), {
				minItems: 1,
				maxItems: SCOPES.length,
				description: "a list of scopes",
			}),
		),
		shared_pool: Type.Boolean({ description: "true or false" }),
		requests_per_minute: numberOrNull(MAX_REQUESTS_PER_MINUTE),
		max_held_units: numberOrNull(MAX_HELD_UNITS),
		expires_at: Type.Optional(
			orNull<string>(
				{
					type: "string",
					pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
				} as object,
				"a time, RFC 3339 with its zone",
			),
		),
	}),
} as const satisfies Record<EntryKind, Type.TSchema>;
type Rows = { [K in EntryKind]: Static<(typeof ROWS)[K]> };

// compiled on first use, so that commands without an import do not pay for it
const validators = new Map<EntryKind, Validator>();
function validatorOf(kind: EntryKind): Validator {
	let validator = validators.get(kind);
	if (!validator) validators.set(kind, (validator = Compile(ROWS[kind])));
	return validator;
}

/** Adds one row to the world, or returns everything that is wrong with it. */
export function takeRow(world: World, kind: EntryKind, row: unknown, at: Place): (Problem & Wrong)[] {
	const validator = validatorOf(kind);
	const wrong = validator.Check(row) ? [] : explainErrors(ROWS[kind], validator.Errors(row), row);
	const isWrong = (field: string): boolean => wrong.some(({ pointer }) => pointer === "" || fieldOf(pointer) === field);
	for (const { needs, check } of MORE_CHECKS[kind] ?? []) {
		if (!needs.some(isWrong)) wrong.push(...(check as (row: unknown) => Wrong[])(row));
	}
	if (wrong.length === 0) {
		(world[kind] as Placed[]).push({ at, entry: TO_ENTRY[kind](row as never) });
		return [];
	}
	const unread = { section: kind, ...readable(kind, row, wrong, at) };
	return wrong.map(({ pointer, message }) => ({ at: pointAt(at, pointer), pointer, message, unread }));
}

/** The field of a row that a JSON pointer points to or into. */
const fieldOf = (pointer: string): string => unescape(pointer.split("/")[1] ?? "");

/** The readable part of a wrong row: its valid fields. */
function readable(kind: EntryKind, row: unknown, wrong: readonly Wrong[], at: Place): { row?: Placed<object> } {
	if (wrong.some(({ pointer }) => pointer === "")) return {};
	const names = new Set(wrong.map(({ pointer }) => fieldOf(pointer)));
	const right = Object.fromEntries(Object.entries(row as object).filter(([name]) => !names.has(name)));
	return { row: { at, entry: TO_ENTRY[kind](right as never) } };
}

type SchemaError = ReturnType<Validator["Errors"]>[number];

/** Maximum characters shown of a value that was found instead of the expected one. */
const MAX_SHOWN = 40;

/** The value at a JSON pointer as a suffix of a message; empty unless it is a plain value. */
function foundAt(row: unknown, pointer: string): string {
	const names = pointer.split("/").slice(1);
	const value = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[unescape(name)], row);
	const isPlain = ["string", "number", "boolean"].includes(typeof value);
	return isPlain ? `, not ${JSON.stringify(value).slice(0, MAX_SHOWN)}` : "";
}

const unescape = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~");

function explainErrors(schema: object, errors: SchemaError[], row: unknown): Wrong[] {
	const found = new Map<string, string>();
	const say = (pointer: string, message: string): void => {
		if (!found.has(pointer)) found.set(pointer, message);
	};
	for (const { keyword, instancePath, schemaPath, params } of errors) {
		if (keyword === "required") {
			for (const field of (params as { requiredProperties: string[] }).requiredProperties) {
				say(`${instancePath}/${escape(field)}`, "is missing");
			}
		} else if (keyword === "additionalProperties") {
			for (const field of (params as { additionalProperties: string[] }).additionalProperties) {
				found.set(`${instancePath}/${escape(field)}`, "is not a known field");
			}
		} else if (keyword !== "boolean") {
			say(instancePath, `must be ${expectation(schema, schemaPath)}${foundAt(row, instancePath)}`);
		}
	}
	return [...found].map(([pointer, message]) => ({ pointer, message }));
}

const escape = (field: string): string => field.replaceAll("~", "~0").replaceAll("/", "~1");

/** The nearest description on the path to the schema that failed. */
function expectation(schema: object, path: string): string {
	let node: Record<string, unknown> = schema as Record<string, unknown>;
	let expected = "an object";
	for (const step of path.split("/").slice(1)) {
		if (step === "anyOf") break; // for a choice, the description of the whole choice applies
		node = (node[step] ?? {}) as Record<string, unknown>;
		if (typeof node["description"] === "string") expected = node["description"];
		else if (node["type"] === "object") expected = "an object";
	}
	return expected;
}

/** Checks that a schema cannot express. Each runs only if the fields that it needs are valid. */
type MoreChecks<Row> = readonly { readonly needs: readonly (keyof Row & string)[]; check(row: Row): Wrong[] }[];

const MORE_CHECKS: { readonly [K in EntryKind]?: MoreChecks<Rows[K]> } = {
	formulas: [{ needs: ["code"], check: ({ code }) => wrongFormulaCode(code) }],
	skus: [
		{ needs: ["sku"], check: ({ sku }) => wrongSkuCode(sku) },
		{ needs: ["kind", "components"], check: ({ kind, components = [] }) => wrongComponents(kind, components.length) },
		{ needs: ["components"], check: ({ components = [] }) => formulasNamedTwice(components) },
	],
	lots: (["expires_on", "received_on"] as const).map((field) => ({
		needs: [field],
		check: (row) =>
			typeof row[field] === "string" && !isDay(row[field])
				? [{ pointer: `/${field}`, message: "is not a day of the calendar" }]
				: [],
	})),
	keys: [
		{
			needs: ["preset", "scopes"],
			check: ({ preset, scopes }) =>
				(preset === undefined) === (scopes === undefined)
					? [{ pointer: "", message: "needs either preset or scopes, not both" }]
					: [],
		},
		{
			needs: ["environment", "brand_code"],
			check: ({ environment, brand_code }) =>
				environment === "live" && brand_code === undefined
					? [{ pointer: "/brand_code", message: "is missing: name a brand, or null for an unbound key" }]
					: [],
		},
		{
			needs: ["expires_at"],
			check: ({ expires_at }) =>
				typeof expires_at === "string" && parseInstant(expires_at) === null
					? [{ pointer: "/expires_at", message: "is not a valid date and time" }]
					: [],
		},
		{
			needs: Object.keys(ROWS.keys.properties) as (keyof Rows["keys"])[],
			check: (row) =>
				wrongInKey(toKey(row)).map(({ field, message }) => ({ pointer: `/${snakeCase(field)}`, message })),
		},
	],
};

const TO_ENTRY: { readonly [K in EntryKind]: (row: Rows[K]) => EntryOf[K] } = {
	brands: (row) => row,
	formulas: (row) => row,
	products: (row) => row,
	skus: (row) => ({
		sku: row.sku,
		name: row.name,
		product: row.product ?? null,
		kind: row.kind,
		vialSize: row.vial_size ?? null,
		components: (row.components ?? []).map(({ formula, per_kit }) => ({ formula, perKit: per_kit })),
		testBehaviour: null,
	}),
	lots: (row) => ({
		formula: row.formula,
		brandCode: row.brand_code,
		batchNumber: row.batch_number,
		expiresOn: row.expires_on,
		receivedOn: row.received_on ?? null,
		units: row.units,
	}),
	demand: ({ brand_code, ...row }) => ({ brandCode: brand_code, ...row }),
	buffers: ({ brand_code, ...row }) => ({ brandCode: brand_code, ...row }),
	partners: (row) => row,
	keys: (row) => toKey(row),
};

const toKey = (row: Rows["keys"]): MintRequest => ({
	name: row.name,
	partner: row.partner,
	environment: row.environment,
	brandCode: row.brand_code ?? null,
	scopes: row.preset === undefined ? (row.scopes ?? []) : PRESETS[row.preset],
	sharedPool: row.shared_pool,
	requestsPerMinute: row.requests_per_minute ?? null,
	expiresAt: typeof row.expires_at === "string" ? new Date(row.expires_at) : null,
	maxHeldUnits: row.max_held_units ?? null,
});
