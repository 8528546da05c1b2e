import type { TSchema } from "typebox";
import { assert } from "../../ground/lib/assert.ts";

/** Bodies with up to this many times the values that fit are still read, so that the refusal names the field. */
const SLACK = 4;
/** Number of values that are always read: parsing them takes less than a millisecond. */
const LEAST = 2_000;

interface JsonSchema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, TSchema>>;
	readonly items?: TSchema;
	readonly maxItems?: number;
	readonly anyOf?: readonly TSchema[];
}

/** Maximum values (objects, arrays and their contents) of a body that is read; more cannot fit the schema. */
export const mostValues = (schema: TSchema | undefined): number =>
	schema === undefined ? LEAST : Math.max(LEAST, SLACK * valuesOf(schema));

/** The most values that something which fits the schema can have. */
function valuesOf(schema: TSchema): number {
	const { type, properties = {}, items, maxItems, anyOf } = schema as JsonSchema;
	if (anyOf !== undefined) return Math.max(...anyOf.map(valuesOf));
	if (type === "array") {
		assert(maxItems !== undefined, "an array in a body has no maxItems, so nothing bounds what it costs to read");
		return 1 + maxItems * (items === undefined ? 1 : valuesOf(items));
	}
	return Object.values(properties).reduce((sum: number, one) => sum + valuesOf(one), 1);
}
