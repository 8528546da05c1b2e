import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";
import { prepared } from "./query.ts";

/** Rows of a list and the moment at which they were read. */
export interface RowsAsOf<Row> {
	/** In the order of their numbers, one more than the limit when another page follows. */
	readonly rows: Row[];
	/** The database's time in epoch milliseconds; nothing that was committed before it is missing. */
	readonly asOfMs: number;
}

/** `filters` are the parameters from `$3` on. */
export type ReadRows<Row> = (
	on: Query,
	page: { readonly after: number; readonly limit: number },
	filters: readonly unknown[],
) => Promise<RowsAsOf<Row>>;

type Tuple<Row extends readonly unknown[]> = [asOfMs: number, isRow: true | null, ...Row];

/**
 * The statement of a list, prepared. `select` chooses rows whose number, its first column, is above `$1`, in the order of that number, at most
 * `$2` of them. The time comes with the rows, in the same snapshot, and also when there are none.
 */
export function preparedPage<Row extends readonly unknown[]>(name: string, select: string): ReadRows<Row> {
	const statement = prepared<Tuple<Row>>(
		name,
		`select floor(extract(epoch from statement_timestamp()) * 1000)::bigint, r.*
		   from (values (1)) one left join lateral (select true, q.* from (${select}) q) r on true
		  order by 3`,
	);
	return async (on, { after, limit }, filters) => {
		const tuples = await statement(on, [after, limit + 1, ...filters]);
		const [asOfMs] = must(tuples[0], name);
		return { rows: tuples.flatMap(([, isRow, ...row]) => (isRow ? [row] : [])), asOfMs };
	};
}
