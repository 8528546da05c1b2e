import type { TSchema } from "typebox";
import type { ErrorCode } from "../../glossary.ts";
import { assert } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { type ApiDates, NO_DATES, type Shape, shapesOf } from "./api-date.ts";
import { type Checker, checkerOf } from "./checker.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { AnyHandler } from "./mount.ts";
import type { Operation } from "./operation.ts";
import { type QueryValues, queryReader } from "./query.ts";
import type { Target } from "./request-context.ts";
import { headerReader } from "./request-headers.ts";
import type { Someone, Surface, SurfaceDocument } from "./surface.ts";

/** An operation on its surface, with everything that its requests need already compiled. */
export interface Route extends Target {
	readonly surface: Surface<Someone>;
	readonly dates: ApiDates;
	readonly operation: Operation;
	readonly handle: AnyHandler;
	/** The operation on each accepted API date, by the date's age. */
	readonly versions: readonly RouteVersion[];
	readonly checkParams: Checker | null;
	readonly readHeaders: ReturnType<typeof headerReader>;
	/** The same answer for every unauthenticated request. */
	readonly unauthorized: Refusal<"unauthorized">;
	/** For a reply with an ETag: its cacheability, and the request headers it depends on. */
	readonly cacheControl: string;
	readonly vary: string;
}

/** An operation on one API date. */
export interface RouteVersion {
	readonly shape: Shape;
	readonly readQuery: (url: string) => QueryValues | Refusal<"invalid_input">;
	readonly checkQuery: Checker;
	readonly checkBody: Checker;
	/** Maximum number of values in a body that is read. */
	readonly mostValues: number;
}

/** Compiles an operation for its surface. Throws if the gate would answer a code that it does not declare. */
export function routeOf(
	surface: Surface<Someone>,
	operation: Operation,
	handle: AnyHandler,
	count: Target["count"],
	errorPage?: Target["errorPage"],
): Route {
	const undeclared = ownCodes(operation).filter((code) => !operation.errors.includes(code));
	assert(undeclared.length === 0, `${operation.id} answers codes it does not declare: ${undeclared.join(", ")}`);
	const anyOrigin = operation.anyOrigin ?? false;
	assert(!anyOrigin || operation.scope === null, `${operation.id} needs a key, which no page may have`);
	const dates = surface.dates ?? NO_DATES;
	const versions = shapesOf(operation, dates).map((shape) => ({
		shape,
		readQuery: queryReader(shape.query),
		checkQuery: checkerOf(shape.query, { noun: "parameter" }),
		checkBody: checkerOf(shape.body, { subtrees: Object.keys(operation.codes ?? {}) }),
		mostValues: mostValues(shape.body),
	}));
	return {
		id: operation.id,
		statuses: operation.statuses,
		count,
		surface,
		errorPage,
		anyOrigin,
		dates,
		operation,
		handle,
		versions,
		checkParams: operation.params === undefined ? null : checkerOf(operation.params),
		readHeaders: headerReader(operation.headers),
		unauthorized: refuse("unauthorized", surface.security.message),
		cacheControl: operation.scope === null ? "public, no-cache" : "private, no-cache",
		vary: varyOf(surface, operation),
	};
}

/** The request headers that a reply of this operation depends on. */
const varyOf = ({ dates }: SurfaceDocument, { scope, anyDate, headers = {} }: Operation): string =>
	[
		...(scope === null ? [] : ["Authorization"]),
		...(dates === null || anyDate ? [] : ["X-Partner-Version"]),
		...Object.keys(headers),
	].join(", ");

/** The codes that the gate answers for this operation alone: for missing headers, and for parts of the body. */
const ownCodes = ({ headers = {}, codes = {} }: Operation): ErrorCode[] =>
	[...Object.values(headers).map(({ missing }) => missing), ...Object.values(codes)].filter((code) => code !== null);

/** Bodies with up to this many times the values that fit are still read, so that the refusal names the field. */
const SLACK = 4;
/** Number of values that are always read: parsing them takes less than a millisecond. */
const LEAST = 2_000;

/** Maximum number of values (objects, arrays and their contents) of a body that is read; more cannot fit the schema. */
export const mostValues = (schema: TSchema | undefined): number =>
	schema === undefined ? LEAST : Math.max(LEAST, SLACK * valuesOf(schema));

/** Maximum number of values (objects, arrays and their contents) in JSON that fits the schema. */
function valuesOf(schema: TSchema): number {
	const { type, properties = {}, items, maxItems, anyOf } = schema as JsonSchema;
	if (anyOf !== undefined) return Math.max(...anyOf.map(valuesOf));
	if (type === "array") {
		assert(maxItems !== undefined, "an array in a body has no maxItems, so nothing bounds what it costs to read");
		return 1 + maxItems * (items === undefined ? 1 : valuesOf(items));
	}
	return Object.values(properties).reduce((sum: number, one) => sum + valuesOf(one), 1);
}
