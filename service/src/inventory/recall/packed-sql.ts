import type { Query } from "../../ground/pg/connect.ts";
import { WAITING_IN_SQL } from "../orders/shipment.ts";

/* Boxes that may contain units of recalled lots. Locks nothing. */

export interface WaitingBox {
	readonly orderId: string;
	readonly shipmentId: string;
	/**
	 * It has or had a label, or the shipment of the order was voided, whose parcel never left; or a part of the order
	 * was shipped: somebody has been at the shelf.
	 */
	readonly isPacked: boolean;
	readonly carrierCode: string | null;
	readonly trackingNumber: string | null;
}
export const selectWaitingBoxes = (tx: Query, orderIds: readonly string[]) =>
	tx.query<WaitingBox>(
		`select o.order_id as "orderId", s.shipment_id as "shipmentId",
		        coalesce(s.label_created_at, s.label_voided_at) is not null or o.status = 'partially_shipped' or exists (
		          select from shipment v where v.shipment_id = any(o.shipment_ids) and v.status = 'voided') as "isPacked",
		        s.carrier_code as "carrierCode", s.tracking_number as "trackingNumber"
		   from orders o cross join lateral unnest(o.shipment_ids) x(shipment_id) join shipment s using (shipment_id)
		  where o.order_id = any($1::uuid[]) and s.status in ${WAITING_IN_SQL}`,
		[orderIds],
	);

/** An order from which a recall took units, with the box in which it waited then. */
export interface RecalledOrder extends Omit<WaitingBox, "isPacked"> {
	readonly keyId: string;
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** Units that were taken. */
	readonly units: number;
	readonly batchNumbers: readonly string[];
	readonly takenAt: Date;
	/** One of the lots is recalled now. */
	readonly isRecalled: boolean;
	/**
	 * The box had a label then, or one that was voided before; another box of the order had been shipped; or the order
	 * is still to be picked again.
	 */
	readonly wasLabelled: boolean;
	/** Its last pick, if nothing has to be picked again. */
	readonly pickedAt: Date | null;
}

/** Orders from which a recall took units of these lots in this time, whatever happened to them since. */
export const selectRecalledOrders = (tx: Query, fgIds: readonly string[], from: Date, to: Date | null) =>
	tx.query<RecalledOrder>(
		`select o.order_id as "orderId", o.key_id as "keyId", o.ref, o.external_order_id as "externalOrderId", t.units,
		        t.batches as "batchNumbers", t.at as "takenAt", t.is_recalled as "isRecalled",
		        case when not o.pick_again and o.status <> 'placed' then o.picked_at end as "pickedAt",
		        s.shipment_id as "shipmentId", s.carrier_code as "carrierCode", s.tracking_number as "trackingNumber",
		        o.pick_again or coalesce(least(s.label_created_at, s.label_voided_at) <= t.at, false)
		          or exists (select from shipment b
		                      where b.shipment_id = any(o.shipment_ids) and b.shipped_at <= t.at) as "wasLabelled"
		   from (select m.reservation_token, sum(m.units)::int as units, array_agg(distinct l.batch_number) as batches,
		                min(m.at) as at, bool_or(l.recalled_at is not null) as is_recalled
		           from unit_move m join lot l using (fg_id)
		          where m.fg_id = any($1::uuid[]) and m.cause = 'recall' and m.from_bucket = 'allocated'
		            and m.reservation_token is not null and m.at >= $2 and ($3::timestamptz is null or m.at <= $3)
		          group by m.reservation_token) t
		   join orders o using (reservation_token)
		  cross join lateral (
		    select shipment_id, carrier_code, tracking_number, label_created_at, label_voided_at from shipment
		     where shipment_id = any(o.shipment_ids) and created_at <= t.at
		       and (shipped_at is null or shipped_at > t.at) and (voided_at is null or voided_at > t.at)
		     order by created_at desc limit 1) s`,
		[fgIds, from, to],
	);

/** Units of lots that left quarantine for orders, holds or sale since `from`. */
export const selectRestored = (tx: Query, fgIds: readonly string[], from: Date) =>
	tx.query<{ fgId: string; units: number }>(
		`select fg_id as "fgId", sum(units)::int as units from unit_move
		  where fg_id = any($1::uuid[]) and from_bucket = 'quarantined' and to_bucket in ('available', 'held', 'allocated')
		    and at >= $2 group by fg_id`,
		[fgIds, from],
	);
