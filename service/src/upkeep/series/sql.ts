import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { ORDER_STATUSES } from "../../inventory/orders/order.ts";
import { HOURS_FOR_DAYS, type KeptStep, MINUTES_FOR_HOURS, type Step } from "./limits.ts";
import { type CountedValue, SERIES, type SeriesName, type SeriesValue } from "./tally.ts";

/** The present minute and hour; sessions are in UTC. */
const PRESENT = "select s as step, date_trunc(s, now()) as at from unnest(array['minute', 'hour']) s";

/**
 * For each step of an owner's row, the hour whose minutes or the day whose hours it contains, and the index of the
 * present minute or hour in it, from 0.
 */
const PRESENT_ROWS = `
	select 'minute' as step, date_trunc('hour', now()) as at, extract(minute from now())::int as place, 60 as places
	union all select 'hour', date_trunc('day', now()), extract(hour from now())::int, 24`;

/** The array subscript of the present minute or hour in an owner's row. */
const PLACE =
	"1 + case excluded.step when 'minute' then extract(minute from now()) else extract(hour from now()) end::int";

/**
 * Adds counts to the present minute and hour, by the database's clock: to the totals and to those of their owners. Rows
 * are locked in one order, so that nodes that write at the same time do not deadlock.
 */
export const addCounts = (tx: Query, values: readonly CountedValue[]) =>
	tx.query(
		`with counted as materialized (
		   select * from unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[]) v(name, label, owner, value)),
		 of_all as (
		   insert into series_point (name, step, at, label, value)
		   select v.name, p.step, p.at, v.label, sum(v.value) from counted v cross join (${PRESENT}) p
		    group by 1, 2, 3, 4 order by 1, 2, 3, 4
		   on conflict (name, step, at, label) do update set value = series_point.value + excluded.value)
		 insert into owned_series as o (owner, name, step, at, label, counts)
		 select v.owner, v.name, p.step, p.at, v.label,
		        array_fill(0, array[p.place]) || v.value::int || array_fill(0, array[p.places - p.place - 1])
		   from counted v cross join (${PRESENT_ROWS}) p where v.owner is not null
		  order by 1, 2, 3, 4, 5
		 on conflict (owner, name, step, at, label) do update
		   set counts[${PLACE}] = o.counts[${PLACE}] + excluded.counts[${PLACE}]`,
		[
			textArray(values.map(({ name }) => name)),
			textArray(values.map(({ label }) => label)),
			textArray(values.map(({ owner }) => owner)),
			plainArray(values.map(({ value }) => value)),
		],
	);

/** Series that sample a state. */
const STATES = Object.entries(SERIES).flatMap(([name, kind]) => (kind === "state" ? [name] : []));

/**
 * Writes a sample of all states for the present minute and hour. What an earlier sample had and this one lacks is set
 * to 0.
 */
export const writeSample = (tx: Query, values: readonly SeriesValue[]) =>
	tx.query(
		`with present as (${PRESENT}),
		 sample as (
		   select v.name, p.step, p.at, v.label, v.value
		     from unnest($1::text[], $2::text[], $3::bigint[]) v(name, label, value) cross join present p),
		 before as (
		   select s.name, step, at, s.label from series_point s join present using (step, at) where s.name = any($4))
		 insert into series_point (name, step, at, label, value)
		 select name, step, at, label, coalesce(value, 0) from sample full join before using (name, step, at, label)
		  order by 1, 2, 3, 4
		 on conflict (name, step, at, label) do update set value = excluded.value`,
		[
			textArray(values.map(({ name }) => name)),
			textArray(values.map(({ label }) => label)),
			plainArray(values.map(({ value }) => value)),
			textArray(STATES),
		],
	);

/** Open orders by state, including states without orders. */
export const selectOpenOrders = (db: Query) =>
	db.query<{ readonly label: string; readonly value: number }>(
		`select s.label, count(o.order_id)::int as value
		   from unnest($1::text[]) s(label)
		   left join orders o on o.status = s.label and o.is_open and o.environment = 'live' group by 1`,
		[textArray(ORDER_STATUSES.filter((status) => status !== "shipped" && status !== "cancelled"))],
	);

/**
 * Deletes figures that are older than the time for which their step is kept; an owner's row only when all of its
 * figures are older.
 */
export const deleteOldPoints = (db: Query) =>
	db.query(
		`with of_owners as (
		   delete from owned_series
		    where (step = 'minute' and at < now() - interval '${MINUTES_FOR_HOURS + 1} hours')
		       or (step = 'hour' and at < now() - interval '${HOURS_FOR_DAYS + 1} days'))
		 delete from series_point
		  where (step = 'minute' and at < now() - interval '${MINUTES_FOR_HOURS} hours')
		     or (step = 'hour' and at < now() - interval '${HOURS_FOR_DAYS} days')`,
	);

export interface SeriesPoint {
	readonly at: Date;
	readonly by: { readonly [label: string]: number };
	readonly n: number;
}

/** Figures as points of a step. `kept`: a query for the time, label and value of stored figures. */
const pointsOf = (kept: string): string => `
	select bucket as at, json_object_agg(label, value order by label) as by, sum(value)::float8 as n
	  from (select date_trunc($2, at) as bucket, label, sum(value)::bigint as value from (${kept}) k group by 1, 2) b
	 group by 1 order by 1`;

const OF_ALL = "select at, label, value from series_point where name = $1 and step = $3 and at >= $4 and at < $5";

/** A sample stands for its whole step, so the last one of each counts. */
const LAST_SAMPLES = `
	select at, label, value from (
	  select a.*, rank() over (partition by date_trunc($2, at) order by at desc) as place from (${OF_ALL}) a) r
	 where place = 1`;

/** What a key did. The deliveries are those to the endpoints of its partner in its environment, which share them. */
const OF_KEY = `
	select * from (
	  select o.at + (c.place - 1) * case $3::text when 'minute' then interval '1 minute' else interval '1 hour' end as at,
	         o.label, c.value
	    from owned_series o cross join unnest(o.counts) with ordinality c(value, place)
	   where o.name = $1 and o.step = $3 and o.at > $4::timestamptz - interval '1 day' and o.at < $5 and c.value > 0
	     and o.owner in (
	       select $6::uuid union all
	       select w.endpoint_id from api_key k join webhook_endpoint w using (partner_id, environment)
	        where k.key_id = $6 and $1 = 'deliveries')) a
	 where at >= $4 and at < $5`;

export interface SeriesAsked {
	readonly name: SeriesName;
	readonly step: Step;
	/** RFC 3339; inclusive, the beginning of a step, and exclusive. */
	readonly from: string;
	readonly to: string;
	/** Null: all keys. */
	readonly keyId: string | null;
}

/** The points of a series that have figures, in the order of their times. */
export const selectSeries = (db: Query, { name, step, from, to, keyId }: SeriesAsked) => {
	const kept: KeptStep = step === "minute" ? "minute" : "hour";
	if (keyId !== null) return db.query<SeriesPoint>(pointsOf(OF_KEY), [name, step, kept, from, to, keyId]);
	const ofAll = SERIES[name] === "state" ? LAST_SAMPLES : OF_ALL;
	return db.query<SeriesPoint>(pointsOf(ofAll), [name, step, kept, from, to]);
};
