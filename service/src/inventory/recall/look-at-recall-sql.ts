import type { Query } from "../../ground/pg/connect.ts";
import { holdersWith } from "./sql.ts";

/*
 * Data for the report on a recall, from one snapshot; locks nothing. Former holders of a lot's units are found through
 * the ledger, which is indexed by lot.
 */

export interface RecallableLot {
	readonly fgId: string;
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	readonly batchNumber: string;
	readonly recalledAt: Date | null;
	readonly available: number;
	readonly held: number;
	readonly allocated: number;
	readonly consumed: number;
	readonly shipped: number;
	readonly quarantined: number;
	readonly destroyed: number;
}
export const selectRecallableLots = (tx: Query, fgIds: readonly string[]) =>
	tx.query<RecallableLot>(
		`select l.fg_id as "fgId", f.code as formula, p.brand_code as "brandCode", l.batch_number as "batchNumber",
		        l.recalled_at as "recalledAt", l.available, l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed
		   from lot l join formula f using (formula_id) join pool p using (pool_id)
		  where l.fg_id = any($1::uuid[]) order by f.code, p.brand_code nulls last, l.fg_id`,
		[fgIds],
	);

/** Active holds and open orders that have or lost units of these lots, in the order in which a recall reaches them. */
export const selectConcerned = (tx: Query, fgIds: readonly string[]) =>
	tx.query<{ token: string }>(
		holdersWith("p.fg_id = any($1::uuid[]) and (p.own_state is null or p.own_state = 'displaced')"),
		[fgIds],
	);

export interface Owner {
	readonly partner: string;
	/** The key's public half. */
	readonly key: string;
	readonly keyName: string;
}
const OWNER = `p.name as partner, k.pk as key, k.name as "keyName"`;

export const selectOwners = (tx: Query, keyIds: readonly string[]) =>
	tx.query<Owner & { keyId: string }>(
		`select k.key_id as "keyId", ${OWNER} from api_key k join partner p using (partner_id) where k.key_id = any($1::uuid[])`,
		[keyIds],
	);

/** A shipment of one order that contains units of the lots. */
export interface ShippedOrder extends Owner {
	readonly orderId: string;
	/** The Idempotency-Key it was placed under. */
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** Units of the lots. */
	readonly units: number;
	readonly batchNumbers: readonly string[];
	readonly shipmentId: string;
	readonly shippedAt: Date;
	readonly carrierCode: string | null;
	readonly trackingNumber: string | null;
}
export const selectShippedOrders = (tx: Query, fgIds: readonly string[]) =>
	tx.query<ShippedOrder>(
		`select ${OWNER}, o.order_id as "orderId", o.ref, o.external_order_id as "externalOrderId", sum(x.units)::int as units,
		        array_agg(distinct x.batch_number) as "batchNumbers", s.shipment_id as "shipmentId", s.shipped_at as "shippedAt",
		        s.carrier_code as "carrierCode", s.tracking_number as "trackingNumber"
		   from (select distinct cause_id from unit_move
		          where fg_id = any($1::uuid[]) and cause = 'ship' and from_bucket = 'allocated') m
		   join orders o on o.reservation_token = m.cause_id::uuid
		   join shipment s on s.shipment_id = any(o.shipment_ids) and s.status = 'shipped'
		  cross join lateral (
		    select (l.lot ->> 'units')::int as units, l.lot ->> 'batch_number' as batch_number
		      from jsonb_array_elements(s.items) i(item), jsonb_array_elements(i.item -> 'lots') l(lot)
		     where i.item ->> 'order_id' = o.order_id::text and (l.lot ->> 'fg_id')::uuid = any($1::uuid[])) x
		   join api_key k using (key_id) join partner p on p.partner_id = o.partner_id
		  group by p.name, k.pk, k.name, o.order_id, s.shipment_id
		  order by p.name, s.shipped_at, o.order_id`,
		[fgIds],
	);

/** Units of the lots that were shipped without an order here, by the reference of the draw-down. */
export interface ShippedElsewhere {
	readonly reference: string;
	readonly units: number;
	readonly batchNumbers: readonly string[];
	/** The time of the last draw-down. */
	readonly at: Date;
}
export const selectShippedElsewhere = (tx: Query, fgIds: readonly string[]) =>
	tx.query<ShippedElsewhere>(
		`select m.cause_id as reference, sum(m.units)::int as units, array_agg(distinct l.batch_number) as "batchNumbers", max(m.at) as at
		   from unit_move m join lot l using (fg_id)
		  where m.fg_id = any($1::uuid[]) and m.cause = 'draw_down' group by 1 order by 1`,
		[fgIds],
	);

/** Units of the lots that a partner consumed under one reference. */
export interface ConsumedReference extends Owner {
	/** The reference of the consume. */
	readonly externalRef: string;
	readonly reservationToken: string;
	/** Units of the lots that were not given back. */
	readonly units: number;
	/** Of those: units reported as shipped. */
	readonly shippedUnits: number;
	readonly batchNumbers: readonly string[];
	readonly consumedAt: Date;
}
export const selectConsumedReferences = (tx: Query, fgIds: readonly string[]) =>
	tx.query<ConsumedReference>(
		`select ${OWNER}, h.consume_ref as "externalRef", h.reservation_token as "reservationToken", sum(x.units)::int as units,
		        coalesce(sum(x.units) filter (where x.own_state = 'shipped'), 0)::int as "shippedUnits",
		        array_agg(distinct l.batch_number) as "batchNumbers", h.ended_at as "consumedAt"
		   from (select distinct cause_id from unit_move where fg_id = any($1::uuid[]) and cause = 'consume') m
		   join hold h on h.reservation_token = m.cause_id::uuid
		   join hold_part x using (reservation_token)
		   join lot l on l.fg_id = x.fg_id
		   join api_key k using (key_id) join partner p on p.partner_id = h.partner_id
		  where x.fg_id = any($1::uuid[]) and part_state(h.status, x.own_state) in ('consumed', 'shipped')
		  group by p.name, k.pk, k.name, h.reservation_token
		  order by p.name, h.ended_at, h.reservation_token`,
		[fgIds],
	);
