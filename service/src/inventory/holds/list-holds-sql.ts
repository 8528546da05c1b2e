import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ListedLot } from "../stock/list-lots-sql.ts";
import type { HoldStatus } from "./hold.ts";

export interface ListedHold {
	readonly reservationToken: string;
	/** The key's public half. */
	readonly key: string;
	readonly keyName: string;
	readonly partner: string;
	/** A hold past its end is `expired`, even before the sweep. */
	readonly status: HoldStatus;
	readonly externalRef: string | null;
	readonly consumeRef: string | null;
	readonly createdAt: Date;
	readonly expiresAt: Date;
	readonly endedAt: Date | null;
	/** Units of its parts except displaced ones. */
	readonly units: number;
	/** Whether it is active but some of its kits are incomplete, because lost units could not be replaced. */
	readonly impaired: boolean;
}
/** The same in a list that names a lot. */
export interface HoldOnLot extends ListedHold {
	/** Units of the lot that it has now, held or allocated; null: the list names no lot. */
	readonly unitsOfLot: number | null;
}
/** The same with its granted lines. */
export interface ShownHold extends ListedHold {
	readonly consumedUnits: number | null;
	readonly returnedUnits: number | null;
	/** The order created from it; null: none. */
	readonly orderId: string | null;
	/** With the field names of the stored JSON. `qty` counts kits. */
	readonly lines: readonly { readonly sku: string; readonly brand_code: string | null; readonly qty: number }[];
}
export interface ShownPart extends Pick<ListedLot, "formula" | "brandCode" | "fgId" | "batchNumber"> {
	/** Index of the request line. */
	readonly line: number;
	readonly units: number;
	readonly state: string;
}

const STATUS = "case when h.status = 'active' and h.expires_at <= now() then 'expired' else h.status end";
/** The same rule as `isImpaired` for an active hold; only holds that lost units are examined in detail. */
const IMPAIRED = `(h.status = 'active' and h.expires_at > now()
	and exists (select from hold_part x where x.reservation_token = h.reservation_token and x.own_state = 'displaced')
	and exists (
	  select from jsonb_array_elements(h.lines) with ordinality l(asked, n), jsonb_array_elements(l.asked -> 'components') c(of)
	   where (l.asked ->> 'qty')::bigint * (c.of ->> 'per_kit')::bigint > (
	     select coalesce(sum(x.units), 0) from hold_part x
	      where x.reservation_token = h.reservation_token and x.line = l.n - 1
	        and x.formula_id = (c.of ->> 'formula_id')::uuid and x.own_state is null)))`;
const HOLD = `h.reservation_token as "reservationToken", k.pk as key, k.name as "keyName", p.name as partner, ${STATUS} as status,
	h.external_ref as "externalRef", h.consume_ref as "consumeRef", h.created_at as "createdAt", h.expires_at as "expiresAt",
	h.ended_at as "endedAt",
	coalesce((select sum(units) from hold_part x
	           where x.reservation_token = h.reservation_token and x.own_state is distinct from 'displaced'), 0) as units,
	${IMPAIRED} as impaired`;
/** Units of the lot $6 that hold `h` has now. */
const OF_LOT = `(select coalesce(sum(x.units), 0)::int from hold_part x
	where x.reservation_token = h.reservation_token and x.fg_id = $6 and part_state(h.status, x.own_state) in ('held', 'allocated'))`;
const HOLD_JOINS = "hold h join api_key k using (key_id) join partner p on p.partner_id = h.partner_id";

export interface HoldFilter {
	/** Null: every key. */
	readonly keyId: string | null;
	/** Null: every status. `impaired`: active holds with incomplete kits. */
	readonly status: HoldStatus | "impaired" | null;
	/** The reference of the reserve or of the consume; null: any. */
	readonly externalRef: string | null;
	/** A SKU in one of its lines; null: any. */
	readonly sku: string | null;
	/** A lot that it draws on, or drew on before its units were picked again; null: any. */
	readonly fgId: string | null;
	/** Only those that have units of that lot now, or only those that have none any more; absent: both. */
	readonly ofLot?: "now" | "before" | null;
	/** The brand of one of its lines; absent: any. */
	readonly brandCode?: string | null;
	/** Only holds before this token in the list; absent: from the newest. */
	readonly before?: string | null;
}

/** At most `limit` holds, the newest first; ids grow with time. */
export const listHolds = (
	db: Query,
	{ keyId, status, externalRef, sku, fgId, ofLot = null, brandCode = null, before = null }: HoldFilter,
	limit: number,
) =>
	firstRows(limit, (most) =>
		db.query<HoldOnLot>(
			`select ${HOLD}, case when $6::uuid is not null then ${OF_LOT} end as "unitsOfLot" from ${HOLD_JOINS}
			  where ($1::uuid is null or h.key_id = $1)
			    and ($2::text is null or $2 = ${STATUS} or ($2 = 'impaired' and ${IMPAIRED}))
			    and ($4::text is null or $4 in (h.external_ref, h.consume_ref))
			    and ($5::text is null or h.lines @> jsonb_build_array(jsonb_build_object('sku', $5::text)))
			    and ($6::uuid is null or exists (
			          select from hold_part x where x.reservation_token = h.reservation_token and x.fg_id = $6))
			    and ($9::text is null or ($9 = 'now') = (${OF_LOT} > 0))
			    and ($7::text is null or h.lines @> jsonb_build_array(jsonb_build_object('brand_code', $7::text)))
			    and ($8::uuid is null or h.reservation_token < $8)
			  order by h.reservation_token desc limit $3`,
			[keyId, status, most, externalRef, sku, fgId, brandCode, before, ofLot],
		),
	);

export const selectHold = (db: Query, reservationToken: string) =>
	db.query<ShownHold>(
		`select ${HOLD}, h.consumed_units as "consumedUnits", h.returned_units as "returnedUnits", h.lines,
		        (select order_id from orders o where o.reservation_token = h.reservation_token) as "orderId"
		   from ${HOLD_JOINS} where h.reservation_token = $1`,
		[reservationToken],
	);

export const selectHoldParts = (db: Query, reservationToken: string) =>
	db.query<ShownPart>(
		`select x.line, f.code as formula, p.brand_code as "brandCode", x.fg_id as "fgId", l.batch_number as "batchNumber", x.units,
		        part_state(h.status, x.own_state) as state
		   from hold_part x join hold h using (reservation_token) join formula f using (formula_id) join pool p using (pool_id)
		   join lot l on l.fg_id = x.fg_id
		  where x.reservation_token = $1 order by x.ordinal`,
		[reservationToken],
	);
