import type { Query } from "./connect.ts";

/** A statement that must be answered within so many milliseconds; then its connection is destroyed, whatever limit the pool has. */
export const timed = (text: string, withinMs: number): string =>
	({ text, query_timeout: withinMs }) as unknown as string;

/** A statement prepared once per connection, for the paths where parsing and planning would show. Rows come as tuples. */
export interface Statement<Row extends readonly unknown[]> {
	(on: Query, values: readonly unknown[]): Promise<Row[]>;
}

type Prepared = { name: string; text: string; values: readonly unknown[]; rowMode: "array" };

export function prepared<Row extends readonly unknown[] = []>(name: string, text: string): Statement<Row> {
	return async (on, values) => {
		const query: Prepared = { name, text, values, rowMode: "array" };
		const { rows } = await on.query(query as unknown as string);
		return rows as unknown as Row[];
	};
}
