import type { Bucket } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { isSandboxPool } from "../catalog/sandbox-pools-sql.ts";
import type { OrderOwner } from "../orders/operator-sql.ts";
import type { ListedLot, OrderOfMove } from "../stock/list-lots-sql.ts";

const HOLDERS = `
	     select o.reservation_token, h.created_at, 1 as turn from orders o join hold h using (reservation_token) where o.is_open
	     union all
	     select reservation_token, created_at, 2 from hold where ended_at is null`;

const holders = (isSo: string, order: string): string => `
	select n.reservation_token as token from (${HOLDERS}) n
	  where exists (select from hold_part p where p.reservation_token = n.reservation_token and ${isSo} offset 0)
	  order by ${order}`;

/**
 * SQL for active holds and open orders with a part that meets a condition, in the order of `byTurn`
 * (holds/bound-parts.ts), so that results of successive batches are in order, too. `isSo`: the condition on hold_part
 * p.
 */
export const holdersWith = (isSo: string): string => holders(isSo, "n.turn, n.created_at, n.reservation_token");

const HAS_UNITS = "p.fg_id = any($1::uuid[]) and p.own_state is null";

/**
 * Active holds and open orders with units on these lots, at most $2, in the order of `byTurn`. An index from lots to
 * parts would have to be written with every hold, so this reads every active hold and open order, at some microseconds
 * each, and locks no row.
 */
export const selectHoldersOf = prepared<[token: string]>("select_holders", `${holdersWith(HAS_UNITS)} limit $2`);

/** The same in reverse: the order in which they lose units if not all are taken. */
export const selectLosersOf = prepared<[token: string]>(
	"select_losers",
	`${holders(HAS_UNITS, "n.turn desc, n.created_at desc, n.reservation_token desc")} limit $2`,
);

/** Lets only one recall begin at a time: the next waits until the transaction ends, and finds the run of this one. */
export const lockRecalls = (tx: Query) => tx.query("select pg_advisory_xact_lock(hashtextextended('recall', 0))");

/** A lot by its id, or the lots with a batch number: of a formula, of a product or of all. Never the sandbox's. */
export const selectLotsToRecall = prepared<[fgId: string]>(
	"select_lots_to_recall",
	`select l.fg_id from lot l join formula f using (formula_id)
	  where (l.fg_id = $1::uuid or (l.batch_number = $2::text and ($3::text is null or f.code = $3)
	                                 and ($4::text is null or l.formula_id in (
	                                   select k.formula_id from sku s join sku_component k using (sku) where s.slug = $4)))) and not ${isSandboxPool("l.pool_id")}
	  order by l.fg_id`,
);

/**
 * Open orders and active holds that lost units of a lot and have fewer units than granted: orders first, oldest first
 * within each. Reads every active hold and open order and locks no row; the exact shortage is determined under locks.
 */
export const selectWhoLacks = prepared<[token: string]>(
	"select_who_lacks",
	`select n.reservation_token
	   from (
	     select reservation_token, 1 as turn from orders where is_open
	     union all
	     select reservation_token, 2 from hold where ended_at is null and expires_at > now()) n
	   join hold h using (reservation_token)
	  where exists (
	      select from hold_part p
	       where p.reservation_token = n.reservation_token and p.fg_id = $1 and p.own_state = 'displaced' offset 0)
	    and (select coalesce(sum(units), 0) from hold_part p
	          where p.reservation_token = n.reservation_token and (p.own_state is null or p.own_state = 'shipped'))
	      < (select sum((l.line ->> 'qty')::bigint * (c.component ->> 'per_kit')::bigint)
	           from jsonb_array_elements(h.lines) l(line), jsonb_array_elements(l.line -> 'components') c(component))
	  order by n.turn, h.created_at, h.reservation_token`,
);

/*
 * Data for the report on a recall, from one snapshot; locks nothing. Former holders of a lot's units are found through
 * the ledger, which is indexed by lot.
 */

export type RecallableLot = Pick<ListedLot, Bucket | "fgId" | "formula" | "brandCode" | "batchNumber" | "recalledAt">;
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

const OWNER = `p.name as partner, k.pk as key, k.name as "keyName"`;

/** A shipment of one order that contains units of the lots. */
export interface ShippedOrder extends OrderOwner, OrderOfMove {
	/** Only units of the lots. */
	readonly units: number;
	readonly batchNumbers: readonly string[];
	readonly shipmentId: string;
	readonly shippedAt: Date;
	readonly carrierCode: string | null;
	readonly trackingNumber: string | null;
	/** Who has the units: the customer as the partner named them. */
	readonly customer: string;
	readonly email: string | null;
	readonly phone: string | null;
	readonly city: string;
	readonly country: string;
}
export const selectShippedOrders = (tx: Query, fgIds: readonly string[]) =>
	tx.query<ShippedOrder>(
		`select ${OWNER}, o.order_id as "orderId", o.ref, o.external_order_id as "externalOrderId", sum(x.units)::int as units,
		        array_agg(distinct x.batch_number) as "batchNumbers", s.shipment_id as "shipmentId", s.shipped_at as "shippedAt",
		        s.carrier_code as "carrierCode", s.tracking_number as "trackingNumber", o.customer ->> 'name' as customer,
		        o.customer ->> 'email' as email, o.customer ->> 'phone' as phone, o.customer -> 'ship_to' ->> 'city' as city,
		        o.customer -> 'ship_to' ->> 'country' as country
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

/** Units of the lots that were shipped without an order in Holdfast, by the reference of the draw-down. */
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
export interface ConsumedReference extends OrderOwner {
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
