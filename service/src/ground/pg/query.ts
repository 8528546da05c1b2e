import type { Query } from "./connect.ts";
import { withTimeout } from "./driver-internals.ts";
import type { PreparedQuery } from "./round-trip.ts";

/**
 * A statement that must be answered within so many milliseconds; then its connection is destroyed, whatever limit the
 * pool has.
 */
export const timed = (text: string, withinMs: number): string => withTimeout({ text }, withinMs) as unknown as string;

/**
 * A statement prepared once per connection, for the paths where parsing and planning would show. Rows come as tuples.
 */
export interface Statement<Row extends readonly unknown[]> {
	(on: Query, values: readonly unknown[]): Promise<Row[]>;
}

/** A statement without values, prepared once per connection: it goes out together with others that are. */
export const named = (name: string, text: string): string =>
	({ name, text, values: [], rowMode: "array" }) satisfies PreparedQuery as unknown as string;

export function prepared<Row extends readonly unknown[] = []>(name: string, text: string): Statement<Row> {
	return async (on, values) => {
		const query: PreparedQuery = { name, text, values, rowMode: "array" };
		const { rows } = await on.query(query as unknown as string);
		return rows as unknown as Row[];
	};
}
