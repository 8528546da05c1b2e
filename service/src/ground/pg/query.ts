import type { Query } from "./connect.ts";
import { withTimeout } from "./driver-internals.ts";
import type { PreparedQuery } from "./round-trip.ts";

/** A statement with its own limit, in milliseconds, after which its connection is destroyed. */
export const timed = (text: string, withinMs: number): string => withTimeout({ text }, withinMs) as unknown as string;

/** A statement prepared once per connection, for paths where planning would cost too much. Rows are tuples. */
export interface Statement<Row extends readonly unknown[]> {
	(on: Query, values: readonly unknown[]): Promise<Row[]>;
}

/** A prepared statement without values, which can share a round trip with others. */
export const named = (name: string, text: string): string =>
	({ name, text, values: [], rowMode: "array" }) satisfies PreparedQuery as unknown as string;

export function prepared<Row extends readonly unknown[] = []>(name: string, text: string): Statement<Row> {
	return async (on, values) => {
		const query: PreparedQuery = { name, text, values, rowMode: "array" };
		const { rows } = await on.query(query as unknown as string);
		return rows as unknown as Row[];
	};
}

/** A column's instant in epoch milliseconds, as a number that pg returns as such. */
export const epochMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
/** The database's clock in epoch milliseconds. */
export const NOW_MS = epochMs("clock_timestamp()");

/** The database's time, in epoch milliseconds. */
export const selectNow = async (db: Query): Promise<number> =>
	(await db.query<{ now: number }>(`select ${NOW_MS} as now`)).rows[0]?.now ?? 0;
