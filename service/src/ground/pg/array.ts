/**
 * Array parameters as PostgreSQL's own text form, built in one go; the driver would look at every element several
 * times.
 */

/** Of values that need no quoting: ids, numbers, times, words of our own. Null is NULL. */
export const plainArray = (values: readonly (string | number | null)[]): string => `{${values.map(orNull).join(",")}}`;

/** Of texts from anywhere. */
export const textArray = (values: readonly (string | null)[]): string => `{${values.map(quoted).join(",")}}`;

/**
 * As `plainArray`, of a column in which values are rare: null without any, for `unnest` fills a column that is short up
 * with NULL.
 */
export const plainOrNone = (values: readonly (string | number | null)[]): string | null =>
	hasAny(values) ? plainArray(values) : null;
/** As `textArray`, likewise. */
export const textOrNone = (values: readonly (string | null)[]): string | null =>
	hasAny(values) ? textArray(values) : null;

const hasAny = (values: readonly unknown[]): boolean => values.some((value) => value !== null);

const orNull = (value: string | number | null): string | number => value ?? "NULL";

const NEEDS_ESCAPE = /[\\"]/g;

const quoted = (value: string | null): string => (value === null ? "NULL" : `"${escaped(value)}"`);

/** Few texts have one of the two characters, and to look for each of them costs a tenth of what the pattern costs. */
const escaped = (value: string): string =>
	value.includes('"') || value.includes("\\") ? value.replace(NEEDS_ESCAPE, "\\$&") : value;

/**
 * Encodes columns by a dictionary: each distinct value is sent once, and each row has its index, from 1. Null has none.
 */
export class Dictionary<V> {
	readonly #indexes = new Map<unknown, number>();
	readonly values: V[] = [];

	of(column: readonly (V | null)[]): string | null {
		return plainOrNone(column.map((value) => (value === null ? null : this.indexOf(value))));
	}

	/** `name`: the same for values that count as one; absent: the value itself. */
	indexOf(value: V, name: unknown = value): number {
		const known = this.#indexes.get(name);
		if (known !== undefined) return known;
		this.values.push(value);
		this.#indexes.set(name, this.values.length);
		return this.values.length;
	}
}
