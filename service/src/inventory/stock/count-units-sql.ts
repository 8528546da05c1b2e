import type { Query } from "../../ground/pg/connect.ts";

export interface UnitsOfPool {
	/** A brand's code; `(shared)` is the shared pool; `(other)` sums the pools without their own label. */
	readonly pool: string;
	/** Free and in date. */
	readonly available: number;
	/** Free and expired. */
	readonly outOfDate: number;
	readonly held: number;
	readonly allocated: number;
	readonly quarantined: number;
}

/**
 * Units of the `most` largest pools, and of all others together; all sandboxes count as one. `timeZone` decides which
 * lots are in date.
 */
export async function selectUnitsByPool(db: Query, timeZone: string, most: number): Promise<UnitsOfPool[]> {
	const { rows } = await db.query<UnitsOfPool>(
		`with by_brand as (
		   select p.brand_code,
		          sum(available) filter (where coalesce(expires_on >= (now() at time zone $1)::date, true)) as available,
		          sum(available) filter (where expires_on < (now() at time zone $1)::date) as out_of_date,
		          sum(held) as held, sum(allocated) as allocated, sum(quarantined) as quarantined,
		          row_number() over (order by sum(available + held + allocated + quarantined) desc, p.brand_code) as place
		     from lot join pool p using (pool_id) where not depleted group by p.brand_code),
		 named as (
		   select case when b.place > $2 then '(other)' else coalesce(b.brand_code, '(shared)') end as pool, b.*
		     from by_brand b)
		 select pool, coalesce(sum(available), 0)::float8 as available, coalesce(sum(out_of_date), 0)::float8 as "outOfDate",
		        sum(held)::float8 as held, sum(allocated)::float8 as allocated, sum(quarantined)::float8 as quarantined
		   from named group by pool`,
		[timeZone, most],
	);
	return rows;
}
