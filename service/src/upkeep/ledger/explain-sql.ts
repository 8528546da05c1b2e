import { BUCKETS } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Pool } from "../../inventory/catalog/catalog.ts";
import type { Sku } from "../../inventory/catalog/sku.ts";
import type { ExplainedLot } from "./explain.ts";

/* The inputs of a count at an instant: balances from the ledger, and holds from their parts and the later moves. */

export const selectSku = (tx: Query, sku: string) =>
	tx.query<Pick<Sku, "sku" | "name" | "kind" | "components">>(
		`select s.sku, s.name, s.kind,
		        coalesce(jsonb_agg(jsonb_build_object(
		            'formula', jsonb_build_object('formulaId', f.formula_id, 'code', f.code, 'name', f.name, 'status', f.status, 'version', f.version),
		            'perKit', c.per_kit) order by c.position) filter (where f.formula_id is not null), '[]') as components
		   from sku s left join sku_component c using (sku) left join formula f using (formula_id)
		  where s.sku = $1 group by s.sku`,
		[sku],
	);

/** The instant to explain (null: now), its day in the operator's time zone, and whether it is in the future. */
export const selectMoment = (tx: Query, at: Date | null, timeZone: string) =>
	tx.query<{ at: Date; today: string; ahead: boolean }>(
		`select t.at, (t.at at time zone $2)::date as today, coalesce($1::timestamptz > t.now, false) as ahead
		   from (select n.now, coalesce($1::timestamptz, n.now) as at from (select clock_timestamp() as now) n) t`,
		[at, timeZone],
	);

export type ExplainedLotRow = Omit<ExplainedLot, "in_date" | "lapsed_units" | "counts" | "holds" | "orders"> & {
	readonly formula_id: string;
	readonly pool_id: number;
};
const balance = (bucket: string): string =>
	`coalesce(sum(m.units) filter (where m.to_bucket = '${bucket}'), 0) - coalesce(sum(m.units) filter (where m.from_bucket = '${bucket}'), 0)`;

/** The part of the ledger from which balances at an instant are worked out. */
export interface LedgerStretch {
	/** The last move in the sums of the last seal; 0: there is no seal. */
	readonly sealed: number;
	/**
	 * All moves up to this one were made before the instant: by then they had a digest, which moves get when they are a
	 * day old.
	 */
	readonly before: number;
}
export async function selectStretch(tx: Query, at: Date): Promise<LedgerStretch> {
	const { rows } = await tx.query<LedgerStretch>(
		`select coalesce((select moves_upto from ledger_seal order by seal desc limit 1), 0) as sealed,
		        coalesce((select max(upto) from history_digest where kind = 'move' and made_at <= $1), 0) as before`,
		[at],
	);
	return rows[0] ?? { sealed: 0, before: 0 };
}

/**
 * Every lot of these formulas that had moves by then, with its balances from the ledger, in picking order: the sums of
 * the last seal, and the moves between it and the instant, added or taken away.
 */
export const selectLotsAt = (
	tx: Query,
	{ formulaIds, poolIds }: { readonly formulaIds: readonly string[]; readonly poolIds: readonly number[] },
	at: Date,
	{ sealed, before }: LedgerStretch,
) =>
	tx.query<ExplainedLotRow>(
		`with
		   asked as materialized (select fg_id from lot where formula_id = any($1::uuid[]) and pool_id = any($2::int[])),
		   m as (
		     select fg_id, from_bucket, to_bucket, case when seq > $4 then units else -units end as units
		       from unit_move
		      where seq > $5 and (seq > $4) = (at <= $3)
		        and fg_id = any(array(select fg_id from asked)) -- the form that the ledger's index by lot can answer
		     union all
		     select fg_id, case bucket when 'received' then bucket end, nullif(bucket, 'received'),
		            (case bucket when 'received' then -units else units end)::integer
		       from lot_seal where fg_id = any(array(select fg_id from asked)))
		 select l.fg_id, l.formula_id, l.pool_id, l.batch_number, l.expires_on, l.received_on,
		        coalesce(sum(m.units) filter (where m.from_bucket = 'received'), 0) as received,
		        -(${balance("corrected")}) as corrected,
		        ${BUCKETS.map((bucket) => `${balance(bucket)} as ${bucket}`).join(", ")},
		        coalesce(l.recalled_at <= $3, false) as recalled
		   from lot l join m using (fg_id)
		  group by l.fg_id having coalesce(sum(m.units) filter (where m.from_bucket = 'received'), 0) <> 0 or ${balance("corrected")} <> 0
		  order by l.expires_on nulls last, l.received_on, l.fg_id`,
		[formulaIds, poolIds, at, sealed, Math.min(sealed, before)],
	);

/** For each bucket of bound units, the holds that may have some now: none of those that ended. */
const BOUND = {
	held: "select reservation_token from hold where ended_at is null",
	allocated: "select reservation_token from orders where is_open",
} as const;

export interface BoundRow {
	fg_id: string;
	/** A reservation token; for units that a later recall moved, the recall's reason. */
	cause_id: string | null;
	units: number;
	expires_at: Date | null;
	external_ref: string | null;
	key: string | null;
	/** The order that was created from the hold. */
	order_id: string | null;
	order_ref: string | null;
	external_order_id: string | null;
}
/**
 * The holds or orders that had units of these lots then, computed from their present parts by undoing all later moves.
 * Units taken by a later recall appear under its reason, because its earlier moves name no hold.
 */
export const selectBoundAt = (
	tx: Query,
	fgIds: readonly string[],
	at: Date,
	{ before }: LedgerStretch,
	bucket: keyof typeof BOUND,
) =>
	tx.query<BoundRow>(
		`select x.fg_id, x.cause_id, x.units, h.expires_at, h.external_ref, k.pk as key, o.order_id, o.ref as order_ref, o.external_order_id
		   from (
		     select fg_id, cause_id, sum(units) as units
		       from (select fg_id, reservation_token::text as cause_id, units from part_now
		              where reservation_token = any(array(${BOUND[bucket]})) and fg_id = any($1::uuid[]) and state = '${bucket}'
		             union all
		             select fg_id, cause_id, case when from_bucket = '${bucket}' then units else -units end
		               from unit_move where fg_id = any($1::uuid[]) and seq > $3 and at > $2 and '${bucket}' in (from_bucket, to_bucket)) y
		      group by 1, 2 having sum(units) <> 0) x
		   left join hold h on h.reservation_token = case when x.cause_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then x.cause_id::uuid end
		   left join api_key k using (key_id)
		   left join orders o on o.reservation_token = h.reservation_token
		  order by h.expires_at nulls last, x.cause_id`,
		[fgIds, at, before],
	);

export interface DemandRow {
	formula_id: string;
	pool_id: number;
	/** Null: the operator's safety buffer. */
	reference: string | null;
	units: number;
}
/** Present demand and buffers. */
export const selectDemand = (tx: Query, formulaIds: readonly string[], poolIds: readonly number[]) =>
	tx.query<DemandRow>(
		`select formula_id, pool_id, reference, units from demand
		  where formula_id = any($1::uuid[]) and pool_id = any($2::int[])
		 union all
		 select formula_id, pool_id, null, units from safety_buffer where formula_id = any($1::uuid[]) and pool_id = any($2::int[])
		  order by reference nulls last`,
		[formulaIds, poolIds],
	);

/** Demand and buffers at that time, from the log of their changes. */
export const selectDemandAt = (tx: Query, formulaIds: readonly string[], poolIds: readonly number[], at: Date) =>
	tx.query<DemandRow>(
		`select formula_id, pool_id, reference, units
		   from (select distinct on (formula_id, pool_id, reference) formula_id, pool_id, reference, units from promise_log
		          where formula_id = any($1::uuid[]) and pool_id = any($2::int[]) and at <= $3
		          order by formula_id, pool_id, reference, at desc, seq desc) last
		  where units > 0 order by reference nulls last`,
		[formulaIds, poolIds, at],
	);

export const selectPools = (tx: Query) =>
	tx.query<Pick<Pool, "poolId" | "brandCode">>(
		`select pool_id as "poolId", brand_code as "brandCode" from pool order by brand_code nulls last, pool_id`,
	);
