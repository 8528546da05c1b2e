import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { MAX_NAMED } from "./findings.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Lists up to this many entries are checked whole. */
const SHORT_LIST = 16;

/**
 * Reduces the long lists of an object to the first entries that do not fit, as many as a message may name. Finding them
 * costs as much as accepting a list, while TypeBox's findings cost many times that for each entry. `pathOf` returns the
 * JSON pointer into the original value.
 */
export function shortenerOf(schema: TSchema): (value: unknown) => { value: unknown; pathOf: (path: string) => string } {
	const { properties = {} } = schema as JsonSchema;
	const lists = Object.entries(properties).flatMap(
		([name, { items, maxItems = 0, uniqueItems }]: [string, JsonSchema]) =>
			items === undefined || uniqueItems ? [] : [{ name, items, maxItems }],
	);
	const compiled = new Map<string, ReturnType<typeof Compile>>();
	return (value) => {
		const given = value as Record<string, unknown>;
		const isLong = ({ name, maxItems }: (typeof lists)[number]): boolean => {
			const entries = given[name];
			return Array.isArray(entries) && entries.length > SHORT_LIST && entries.length <= maxItems;
		};
		const long = lists.filter(isLong);
		if (long.length === 0) return { value, pathOf: (path) => path };
		const short: Record<string, unknown> = { ...given };
		const places = new Map<string, readonly number[]>();
		for (const { name, items } of long) {
			const entries = given[name] as readonly unknown[];
			const fits = compiled.get(name) ?? Compile(items);
			compiled.set(name, fits);
			const wrong: number[] = [];
			for (let at = 0; at < entries.length && wrong.length <= MAX_NAMED; at++)
				if (!fits.Check(entries[at])) wrong.push(at);
			// a problem of the list itself must not disappear with the entries left out
			const kept = wrong.length === 0 ? [...entries.keys()].slice(0, SHORT_LIST) : wrong;
			short[name] = kept.map((at): unknown => entries[at]);
			places.set(name, kept);
		}
		const pathOf = (path: string): string => {
			const [, name = "", at, ...below] = path.split("/");
			const index = places.get(name)?.[Number(at)];
			return index === undefined || at === undefined ? path : ["", name, index, ...below].join("/");
		};
		return { value: short, pathOf };
	};
}
