/*
 * The service spells names in snake_case and times as RFC 3339 texts; the SDK spells names in camelCase and times as
 * Date. Members that the SDK does not know pass through like all others.
 */

/** `reserved_qty` is `reservedQty`. */
export function camelName(snake: string): string {
	return snake.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}

/** `reservedQty` is `reserved_qty`. */
export function snakeName(camel: string): string {
	return camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether a member of a reply is an instant; `npm run gen` proves it for every name of the documents. */
export function isTimeName(camel: string): boolean {
	return /(?:^at|At|^asOf|Until|^timestamp|^since)$/.test(camel);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** What the service answered, in the SDK's spelling. */
export function fromWire(value: unknown, name = ""): unknown {
	if (Array.isArray(value)) return value.map((one) => fromWire(one));
	if (typeof value === "object" && value !== null) return renamed(value, camelName, fromWire);
	if (typeof value === "string" && isTimeName(name) && INSTANT.test(value)) return new Date(value);
	return value;
}

/** What a caller gave, in the service's spelling. Members that are undefined are left out. */
export function toWire(value: unknown): unknown {
	if (value instanceof Date) return value.toISOString();
	if (Array.isArray(value)) return value.map((one) => toWire(one));
	if (typeof value === "object" && value !== null) return renamed(value, snakeName, toWire);
	return value;
}

function renamed(
	value: object,
	rename: (name: string) => string,
	convert: (inner: unknown, name: string) => unknown,
): Record<string, unknown> {
	const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
	return Object.fromEntries(
		members.map(([name, inner]) => {
			const other = rename(name);
			return [other, convert(inner, other)];
		}),
	);
}
