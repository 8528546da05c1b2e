import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";
import type { Epoch } from "./epoch.ts";
import { ReplicaBehind } from "./faults.ts";
import { prepared } from "./query.ts";
import { beatMomentOf, settledOf } from "./replayed.ts";

/** Rows of a list and the moment they were read. */
export interface RowsAsOf<Row, Head = readonly []> {
	/** In the order of their numbers; one more than the limit if another page follows. */
	readonly rows: Row[];
	/** The moment from `momentOf`, in epoch milliseconds. */
	readonly asOfMs: number;
	readonly head: Head;
}

/** `filters` are the parameters from `$3` on. */
export type ReadRows<Row, Head = readonly []> = (
	on: Query,
	page: { readonly after: number; readonly limit: number },
	filters: readonly unknown[],
) => Promise<RowsAsOf<Row, Head>>;

/**
 * The moment of a page in epoch milliseconds, as an SQL expression: no change that the statement's snapshot misses has
 * an earlier time. A reader that passes it as `updated_since` therefore misses nothing (docs/decisions/0064).
 *
 * It is the time that the snapshot shows in the list's epoch. A change that the snapshot misses locked the epoch after
 * the transaction that wrote this time, and no change gets an earlier time than its epoch has. So the moment depends
 * on no clock. The nodes raise it every few seconds (`createRaiseTimes` in epoch.ts).
 *
 * A replica may show commits that a promotion loses. There, the moment is the one of the last beat (replayed.ts): the
 * snapshot shows everything that the beat's snapshot showed.
 */
export const momentOf = (epoch: Epoch): string =>
	`(select case when pg_is_in_recovery() then ${beatMomentOf(epoch)} else ${momentOnPrimary(epoch)} end)`;

/** The same for statements that only ever run on a primary, where it is quicker. */
export const momentOnPrimary = (epoch: Epoch): string =>
	`(select floor(extract(epoch from at) * 1000)::bigint from ${epoch})`;

/**
 * The statement of a list, prepared. `select` chooses rows whose number, its first column, is above `$1`, in the order
 * of that number, at most `$2` of them. The moment, and the expressions of `head`, come with the rows, in the same
 * snapshot, even if there are no rows. On a replica, a page ends at the last number that readers of the primary could
 * have read. @throws ReplicaBehind if the reader has read further than that
 */
export function preparedPage<Row extends readonly unknown[], Head extends readonly unknown[] = readonly []>(
	name: string,
	epoch: Epoch,
	select: string,
	head: readonly string[] = [],
): ReadRows<Row, Head> {
	const isRow = 2 + head.length;
	const statement = prepared<[asOfMs: number, settled: number | null, ...unknown[]]>(
		name,
		`select ${[momentOf(epoch), settledOf(epoch), ...head].join(", ")}, r.*
		   from (values (1)) one left join lateral (select true, q.* from (${select}) q) r on true
		  order by ${isRow + 2}`,
	);
	return async (on, { after, limit }, filters) => {
		const tuples = await statement(on, [after, limit + 1, ...filters]);
		const [asOfMs, settled, ...first] = must(tuples[0], name);
		const most = settled ?? Number.POSITIVE_INFINITY;
		if (after > most) throw new ReplicaBehind(name);
		const rows = tuples.flatMap((tuple) =>
			tuple[isRow] && (tuple[isRow + 1] as number) <= most ? [tuple.slice(isRow + 1) as unknown as Row] : [],
		);
		return { rows, asOfMs, head: first.slice(0, head.length) as unknown as Head };
	};
}

/**
 * SQL for the lowest list number of any change at or after a time; 0 if the time is null. Times rise with numbers, so
 * this is the number of the first row by time. `where` must match an index that starts with time and number.
 */
export const firstSince = (
	{ table, number, time, where }: { readonly [name in "table" | "number" | "time" | "where"]: string },
	since: string,
): string => `case when ${since} is null then 0 else coalesce((
	      select ${number} from ${table} where ${where} and ${time} >= ${since} order by ${time}, ${number} limit 1
	    ), 9223372036854775807) end`;
