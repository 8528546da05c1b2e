import type { Query } from "../../ground/pg/connect.ts";
import type { HoldStatus } from "../../inventory/holds/hold.ts";

/** A hold that a request was about, as it is now. */
export interface HoldEvidence {
	readonly token: string;
	/** Whether it belongs to the key that made the request. */
	readonly own: boolean;
	readonly key: string;
	readonly status: HoldStatus;
	readonly external_ref: string | null;
	readonly consume_ref: string | null;
	readonly created_at: Date;
	readonly expires_at: Date;
	readonly ended_at: Date | null;
}

/** Maximum number of holds and of orders that are read; a request names a few. */
const MOST_FACTS = 10;
const UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
const NAMED = `with named as materialized (
	select n as text, case when lower(n) ~ '${UUID}' then lower(n)::uuid end as id from unnest($2::text[]) n)`;

/** The holds with these tokens, of any key, and those with these references, of this key. */
export const selectHoldEvidence = (db: Query, keyId: string, about: readonly string[]) =>
	db.query<HoldEvidence>(
		`${NAMED}
		 select h.reservation_token::text as token, h.key_id = $1 as own, k.pk as key, h.status, h.external_ref, h.consume_ref,
		        h.created_at, h.expires_at, h.ended_at
		   from (select reservation_token from hold where reservation_token in (select id from named)
		         union
		         select reservation_token from hold where key_id = $1 and external_ref in (select text from named)
		         union
		         select reservation_token from hold where key_id = $1 and consume_ref in (select text from named)) f
		   join hold h using (reservation_token) join api_key k on k.key_id = h.key_id
		  order by h.created_at desc limit ${MOST_FACTS}`,
		[keyId, about],
	);

/** An order that a request was about, as it is now. */
export interface OrderEvidence {
	readonly order_id: string;
	readonly own: boolean;
	readonly key: string;
	readonly ref: string;
	readonly status: string;
	readonly hold_reason: string | null;
	readonly placed_at: Date;
	readonly picked_at: Date | null;
	readonly shipped_at: Date | null;
	readonly cancelled_at: Date | null;
}

/** The orders with these ids or of these holds, of any key, and those with these references, of this key. */
export const selectOrderEvidence = (db: Query, keyId: string, about: readonly string[]) =>
	db.query<OrderEvidence>(
		`${NAMED}
		 select o.order_id::text, o.key_id = $1 as own, k.pk as key, o.ref, o.status, o.hold_reason, o.placed_at, o.picked_at,
		        o.shipped_at, o.cancelled_at
		   from (select order_id from orders where order_id in (select id from named)
		         union
		         select order_id from orders where reservation_token in (select id from named)
		         union
		         select order_id from orders where key_id = $1 and ref in (select text from named)) f
		   join orders o using (order_id) join api_key k on k.key_id = o.key_id
		  order by o.placed_at desc limit ${MOST_FACTS}`,
		[keyId, about],
	);

export interface KeyEvidence {
	readonly pk: string;
	readonly name: string;
	readonly partner: string;
	readonly brand_code: string | null;
	readonly scopes: readonly string[];
	readonly requests_per_minute: number;
	readonly max_held_units: number | null;
	readonly suspended: boolean;
	readonly created_at: Date;
	readonly expires_at: Date | null;
	readonly revoke_at: Date | null;
	/** When the newest of its secrets was created. */
	readonly secret_at: Date | null;
}

export async function selectKeyEvidence(db: Query, pk: string): Promise<KeyEvidence | null> {
	const { rows } = await db.query<KeyEvidence>(
		`select k.pk, k.name, p.name as partner, b.brand_code, k.scopes, k.requests_per_minute, k.max_held_units, k.suspended,
		        k.created_at, k.expires_at, k.revoke_at,
		        (select max(created_at) from key_secret s where s.key_id = k.key_id) as secret_at
		   from api_key k join partner p using (partner_id) left join pool b on b.pool_id = k.pool_id where k.pk = $1`,
		[pk],
	);
	return rows[0] ?? null;
}
