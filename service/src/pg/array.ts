/** Array parameters as PostgreSQL's own text form, built in one go; the driver would look at every element several times. */

/** Of values that need no quoting: ids, numbers, times, words of our own. Null is NULL. */
export const plainArray = (values: readonly (string | number | null)[]): string => `{${values.map(orNull).join(",")}}`;

/** Of texts from anywhere. */
export const textArray = (values: readonly (string | null)[]): string => `{${values.map(quoted).join(",")}}`;

/** Of a column of `unnest` with others, in which values are rare: null without any, for `unnest` fills short columns up with NULL. */
export const orNone = <V extends string | number>(
	values: readonly (V | null)[],
	arrayOf: (values: readonly (V | null)[]) => string,
): string | null => (values.every((value) => value === null) ? null : arrayOf(values));

const orNull = (value: string | number | null): string | number => value ?? "NULL";

const NEEDS_ESCAPE = /[\\"]/g;

const quoted = (value: string | null): string => (value === null ? "NULL" : `"${value.replace(NEEDS_ESCAPE, "\\$&")}"`);
