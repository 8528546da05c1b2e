import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { HOURS_FOR_DAYS, MINUTES_FOR_HOURS, type Step } from "./limits.ts";
import type { SeriesName, SeriesValue } from "./tally.ts";

/** What a further value of the same minute or hour does. */
const AGAIN = { count: "series_point.value + excluded.value", state: "excluded.value" } as const;

/**
 * Writes values of the present minute and hour, by the database's clock. Rows are locked in one order, so that nodes
 * that write at the same time do not wait for each other in a circle.
 */
export const writeValues = (tx: Query, values: readonly SeriesValue[], kind: keyof typeof AGAIN) =>
	tx.query(
		`insert into series_point (name, step, at, label, value)
		 select v.name, s.step, date_trunc(s.step, now()), v.label, v.value
		   from unnest($1::text[], $2::text[], $3::bigint[]) v(name, label, value)
		  cross join unnest(array['minute', 'hour']) s(step)
		  order by 1, 2, 3, 4
		 on conflict (name, step, at, label) do update set value = ${AGAIN[kind]}`,
		[
			textArray(values.map(({ name }) => name)),
			textArray(values.map(({ label }) => label)),
			plainArray(values.map(({ value }) => value)),
		],
	);

/** Open orders by state. */
export const selectOpenOrders = (db: Query) =>
	db.query<{ readonly label: string; readonly value: number }>(
		"select status as label, count(*)::int as value from orders where is_open and environment = 'live' group by 1",
	);

/** Deletes points that are older than their step is kept. */
export const deleteOldPoints = (db: Query) =>
	db.query(
		`delete from series_point
		  where (step = 'minute' and at < now() - interval '${MINUTES_FOR_HOURS} hours')
		     or (step = 'hour' and at < now() - interval '${HOURS_FOR_DAYS} days')`,
	);

export interface SeriesRow {
	readonly at: Date;
	readonly label: string;
	readonly value: number;
}

/** The points of a series from a time, inclusive, to another, exclusive; epoch milliseconds. */
export const selectSeries = (db: Query, name: SeriesName, step: Step, from: string, to: string) =>
	db.query<SeriesRow>(
		`select at, label, value from series_point where name = $1 and step = $2 and at >= date_trunc($2, $3::timestamptz)
		    and at < $4 order by at, label`,
		[name, step, from, to],
	);
