import Type, { type TNull, type TProperties, type TSchema, type TString, type TUnion } from "typebox";

/** An object of a request, with its title in the documents. No other members are allowed. */
export const RequestObject = <Fields extends TProperties>(title: string, fields: Fields) =>
	Type.Object(fields, { additionalProperties: false, title });
export const ReplyObject = <Fields extends TProperties>(title: string, fields: Fields) =>
	Type.Object(fields, { title });

/** Well-formed Unicode without NUL: PostgreSQL can store it and every JSON parser can read it. */
const WELL_FORMED = "^[^\\u0000\\p{Cs}]*$";

/**
 * Visible ASCII except `.` and `..`: clients that normalise addresses would turn a path that ends in one of these,
 * encoded or not, into another path (RFC 3986, section 5.2.4).
 */
export const VISIBLE_IN_A_PATH = "^(?!\\.{1,2}$)[!-~]*$";

/**
 * The same patterns for every regular-expression engine (Go has no `(?!`, Python no `\\p`), as the OpenAPI documents
 * show them. They cannot exclude half a surrogate pair; requests with one are refused anyway.
 */
export const PORTABLE_PATTERNS: { readonly [pattern: string]: string } = {
	[WELL_FORMED]: "^[^\\x00]*$",
	[VISIBLE_IN_A_PATH]: "^([!-\\-/-~][!-~]*|\\.[!-\\-/-~][!-~]*|\\.\\.[!-~]+)?$",
};

export interface TextLimits {
	/** Minimum number of code points. */
	readonly min?: number;
	/** Maximum number of code points. */
	readonly max?: number;
	readonly description?: string;
	readonly example?: string;
}

/** A text of a request, untrimmed, in code points, without NUL or half a surrogate pair (settlements, section 2). */
export function Text({ min, max, description, example }: TextLimits = {}): TString {
	return Type.String({
		pattern: WELL_FORMED,
		...(min === undefined ? {} : { minLength: min }),
		...(max === undefined ? {} : { maxLength: max }),
		...(description === undefined ? {} : { description }),
		...(example === undefined ? {} : { examples: [example] }),
	});
}

const UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
const UUID_ANY_CASE = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";

/** An id in a reply: always lower case. */
export const Id = (description?: string): TString =>
	Type.String({ format: "uuid", pattern: UUID, ...(description === undefined ? {} : { description }) });

/** An id in a request: either case is accepted; compare it through toLowerCase(). */
export const GivenId = (description?: string): TString =>
	Type.String({ format: "uuid", pattern: UUID_ANY_CASE, ...(description === undefined ? {} : { description }) });

/** An instant in a reply: RFC 3339, UTC, milliseconds. */
export const Instant = (description?: string): TString =>
	Type.String({
		format: "date-time",
		pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
		...(description === undefined ? {} : { description }),
	});

/** A day in a reply: `YYYY-MM-DD`. */
export const Day = (description?: string): TString =>
	Type.String({
		format: "date",
		pattern: "^\\d{4}-\\d{2}-\\d{2}$",
		...(description === undefined ? {} : { description }),
	});

/** A field of a reply that may be null; the description of `schema` is the field's. */
export const OrNull = <S extends TSchema>(schema: S): TUnion<[S, TNull]> => {
	const { description } = schema as { readonly description?: string };
	return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
};
