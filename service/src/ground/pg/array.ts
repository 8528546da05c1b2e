/** Array parameters in PostgreSQL's text form, built in one pass where the driver needs several per element. */

/** For values that need no quoting: ids, numbers, times, our own words. Null becomes NULL. */
export const plainArray = (values: readonly (string | number | null)[]): string => `{${values.map(orNull).join(",")}}`;

/** For arbitrary text. */
export const textArray = (values: readonly (string | null)[]): string => `{${values.map(quoted).join(",")}}`;

/** Like `plainArray`, or null if all values are null, because `unnest` fills a short column with NULL. */
export const plainOrNone = (values: readonly (string | number | null)[]): string | null =>
	hasAny(values) ? plainArray(values) : null;
/** Like `textArray`, for a column that is mostly null. */
export const textOrNone = (values: readonly (string | null)[]): string | null =>
	hasAny(values) ? textArray(values) : null;

const hasAny = (values: readonly unknown[]): boolean => values.some((value) => value !== null);

const orNull = (value: string | number | null): string | number => value ?? "NULL";

const NEEDS_ESCAPE = /[\\"]/g;

const quoted = (value: string | null): string => (value === null ? "NULL" : `"${escaped(value)}"`);

/** Few texts contain either character, and searching for them costs a tenth of running the pattern. */
const escaped = (value: string): string =>
	value.includes('"') || value.includes("\\") ? value.replace(NEEDS_ESCAPE, "\\$&") : value;

/**
 * Encodes columns by a dictionary: each distinct value is sent once, and each row holds the index of its value, from
 * 1, or null.
 */
export class Dictionary<V> {
	readonly #indexes = new Map<unknown, number>();
	readonly values: V[] = [];

	of(column: readonly (V | null)[]): string | null {
		return plainOrNone(column.map((value) => (value === null ? null : this.indexOf(value))));
	}

	/** `name` identifies values that count as equal; by default the value itself. */
	indexOf(value: V, name: unknown = value): number {
		const known = this.#indexes.get(name);
		if (known !== undefined) return known;
		this.values.push(value);
		this.#indexes.set(name, this.values.length);
		return this.values.length;
	}
}
