/** A name in snake case: `brandCode` as `brand_code`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
	? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
	: Name;

/** What `asReply` makes of a value. A value of unknown shape has none: its names may not be ours. */
export type AsReply<V> = unknown extends V
	? never
	: V extends string | number | boolean | null | undefined
		? V
		: V extends Date
			? string
			: V extends readonly (infer Item)[]
				? AsReply<Item>[]
				: { [Name in keyof V as SnakeCase<Name & string>]: AsReply<V[Name]> };

/**
 * A row as replies show it: all names, down to the innermost object, in snake case, and instants as RFC 3339. Every
 * member is shown, so leave out beforehand what its readers may not see, or what the contract does not list.
 */
export const asReply = <V>(value: V): AsReply<V> => shown(value) as AsReply<V>;

function shown(value: unknown): unknown {
	if (value instanceof Date) return value.toISOString();
	if (Array.isArray(value)) return value.map(shown);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [snakeCase(name), shown(one)]));
}

/** `brandCode` as `brand_code`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
