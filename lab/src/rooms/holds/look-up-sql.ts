import type pg from "pg";

/** A hold as the tables have it. Instants are epoch milliseconds of the database's clock. */
export interface HoldFact {
	readonly token: string;
	readonly keyId: string;
	readonly status: string;
	readonly ref: string | null;
	readonly consumeRef: string | null;
	/** The Idempotency-Key of the order that it became; null: none. */
	readonly orderRef: string | null;
	readonly createdAt: number;
	readonly expiresAt: number;
	readonly endedAt: number | null;
	readonly consumed: number | null;
	readonly returned: number | null;
	readonly lines: readonly { readonly sku: string; readonly qty: number }[];
	/** Units bound to it, or that were: [formula id, brand or null, units]; without those that a recall took away. */
	readonly parts: readonly (readonly [string, string | null, number])[];
	/** Units that the ledger says were moved for it, by cause. */
	readonly moved: Readonly<Record<string, number>>;
}

export interface HoldFacts {
	/** The database's clock when it was asked, epoch milliseconds. */
	readonly now: number;
	readonly holds: readonly HoldFact[];
}

const HOLDS = `
	with parts as (
		select reservation_token, jsonb_agg(jsonb_build_array(formula_id, brand_code, units)) as parts
		  from (select p.reservation_token, p.formula_id, l.brand_code, sum(p.units) as units
		          from hold_part p join pool l using (pool_id)
		         where p.own_state is distinct from 'displaced' group by 1, 2, 3) s
		 group by 1),
	moves as (
		select cause_id, jsonb_object_agg(cause, units) as moved
		  from (select cause_id, cause, sum(units) as units from unit_move
		         where cause in ('reserve', 'release', 'consume', 'reverse', 'expire', 'place') group by 1, 2) s
		 group by 1)
	select h.reservation_token as token, h.key_id as "keyId", h.status, h.external_ref as ref, h.consume_ref as "consumeRef", o.ref as "orderRef",
	       (extract(epoch from h.created_at) * 1000)::float8 as "createdAt", (extract(epoch from h.expires_at) * 1000)::float8 as "expiresAt",
	       (extract(epoch from h.ended_at) * 1000)::float8 as "endedAt", h.consumed_units::int as consumed, h.returned_units::int as returned,
	       h.lines, coalesce(p.parts, '[]') as parts, coalesce(m.moved, '{}') as moved
	  from hold h
	  left join orders o using (reservation_token)
	  left join parts p using (reservation_token)
	  left join moves m on m.cause_id = h.reservation_token::text`;

export async function lookUpHolds(db: pg.Pool): Promise<HoldFacts> {
	const now = await db.query<{ now: number }>("select (extract(epoch from clock_timestamp()) * 1000)::float8 as now");
	const { rows } = await db.query<HoldFact>(HOLDS);
	return {
		now: now.rows[0]?.now ?? 0,
		holds: rows.map((row) => ({ ...row, lines: row.lines.map(({ sku, qty }) => ({ sku, qty })) })),
	};
}
