import type pg from "pg";
import { type PassedBy, passedBy, type Step } from "./first-expired.ts";

/** Units of a line on a lot: [line, formula id, brand or null, fg_id, units, state]. */
export type PartRow = readonly [number, string, string | null, string, number, string];

/** A hold in the tables. Instants are epoch milliseconds of the database's clock. */
export interface HoldFact {
	readonly token: string;
	readonly keyId: string;
	readonly status: string;
	readonly ref: string | null;
	readonly consumeRef: string | null;
	/** The Idempotency-Key of its order; null: none. */
	readonly orderRef: string | null;
	readonly createdAt: number;
	readonly expiresAt: number;
	readonly endedAt: number | null;
	readonly consumed: number | null;
	readonly returned: number | null;
	readonly lines: readonly { readonly sku: string; readonly qty: number }[];
	/**
	 * Units that are or were bound to it, without those that a recall took away: [formula id, brand or null, units].
	 */
	readonly parts: readonly (readonly [string, string | null, number])[];
	/** The same by line and lot, in order of creation, including units that a recall took away. */
	readonly rows: readonly PartRow[];
	/** Units moved for it according to the ledger, by cause. */
	readonly moved: Readonly<Record<string, number>>;
}

/** A lot, with its picking order. */
export interface LotFact {
	readonly fgId: string;
	/** Its position among the lots of its formula and pool, the soonest to expire first. */
	readonly turn: number;
}

export interface HoldFacts {
	/** The database's clock at the time of the query, epoch milliseconds. */
	readonly now: number;
	readonly holds: readonly HoldFact[];
	readonly lots: readonly LotFact[];
	/** Lots that a reserve passed over. */
	readonly passed: readonly PassedBy[];
}

const HOLDS = `
	with parts as (
		select reservation_token, jsonb_agg(jsonb_build_array(formula_id, brand_code, units)) as parts
		  from (select p.reservation_token, p.formula_id, l.brand_code, sum(p.units) as units
		          from hold_part p join pool l using (pool_id)
		         where p.own_state is distinct from 'displaced' group by 1, 2, 3) s
		 group by 1),
	rows as (
		select p.reservation_token, jsonb_agg(jsonb_build_array(p.line, p.formula_id, l.brand_code, p.fg_id, p.units, coalesce(p.own_state,
		         case h.status when 'placed' then 'allocated' when 'active' then 'held' else h.status end)) order by p.ordinal) as rows
		  from hold_part p join pool l using (pool_id) join hold h using (reservation_token) group by 1),
	moves as (
		select cause_id, jsonb_object_agg(cause, units) as moved
		  from (select cause_id, cause, sum(units) as units from unit_move
		         where cause in ('reserve', 'release', 'consume', 'reverse', 'expire', 'place') group by 1, 2) s
		 group by 1)
	select h.reservation_token as token, h.key_id as "keyId", h.status, h.external_ref as ref, h.consume_ref as "consumeRef", o.ref as "orderRef",
	       (extract(epoch from h.created_at) * 1000)::float8 as "createdAt", (extract(epoch from h.expires_at) * 1000)::float8 as "expiresAt",
	       (extract(epoch from h.ended_at) * 1000)::float8 as "endedAt", h.consumed_units::int as consumed, h.returned_units::int as returned,
	       h.lines, coalesce(p.parts, '[]') as parts, coalesce(r.rows, '[]') as rows, coalesce(m.moved, '{}') as moved
	  from hold h
	  left join orders o using (reservation_token)
	  left join parts p using (reservation_token)
	  left join rows r using (reservation_token)
	  left join moves m on m.cause_id = h.reservation_token::text`;

// soonest expiry first, never last; then in order of receipt
const TURNS = `
	select fg_id as "fgId", (row_number() over (partition by formula_id, pool_id order by expires_on nulls last, received_on, fg_id))::int as turn,
	       formula_id || ' ' || pool_id as shelf
	  from lot where expires_on is null or expires_on >= current_date`;
const LOTS = `select "fgId", turn from (${TURNS}) t`;
const STEPS = `
	select t."fgId", t.shelf, t.turn, (extract(epoch from m.at) * 1000)::float8 as at,
	       case when m.to_bucket = 'available' then m.units else -m.units end as units,
	       case when m.cause = 'reserve' then m.cause_id end as token
	  from unit_move m join (${TURNS}) t on t."fgId" = m.fg_id
	 where (m.to_bucket = 'available' or m.from_bucket = 'available')
	   and t.shelf in (select shelf from (${TURNS}) s group by 1 having count(*) > 1)
	 order by m.seq`;

export async function lookUpHolds(db: pg.Pool): Promise<HoldFacts> {
	const now = await db.query<{ now: number }>("select (extract(epoch from clock_timestamp()) * 1000)::float8 as now");
	const { rows } = await db.query<HoldFact>(HOLDS);
	return {
		now: now.rows[0]?.now ?? 0,
		lots: (await db.query<LotFact>(LOTS)).rows,
		passed: passedBy((await db.query<Step>(STEPS)).rows),
		holds: rows.map((row) => ({ ...row, lines: row.lines.map(({ sku, qty }) => ({ sku, qty })) })),
	};
}
