import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { OrderInBox } from "../orders/box-sql.ts";
import { RECORD_COLUMNS, toShipmentRecord } from "../orders/find-order-sql.ts";
import type { ShipmentStatus } from "../orders/shipment.ts";
import type { BoxNow } from "../orders/show-order.ts";

/** A null filter is ignored. */
export interface BoxFilter {
	/** Null: every brand, but the sandbox's boxes only if `orderId` or `search` finds them. */
	readonly brandCode: string | null;
	readonly status: ShipmentStatus | null;
	readonly orderId: string | null;
	/** A text by which a person identifies a box; see `FOUND`. */
	readonly search: string | null;
	/** Only boxes that were created before this one. */
	readonly before: string | null;
}

/**
 * The boxes that a text finds: by id or tracking number, or by id, reference, external id (with or without a `#` before
 * it) or customer of an order in it. The last three have no index: all orders are read once.
 */
const FOUND = `(select shipment_id from shipment where shipment_id::text = lower($4) or tracking_number = $4
	  union select unnest(shipment_ids) from orders
	   where order_id::text = lower($4) or $4 in (ref, external_order_id) or '#' || $4 in (ref, external_order_id)
	      or position(lower($4) in lower(customer ->> 'name')) > 0)`;

/** At most `limit` boxes, the newest first, by id, because ids grow with time. */
export async function listBoxes(
	db: Query,
	{ brandCode, status, orderId, search, before }: BoxFilter,
	limit: number,
): Promise<FirstRows<BoxNow>> {
	const text = `
		with page as (
		  select s.shipment_id from shipment s
		   where ($1::text is null or s.pool_id = any(array(select pool_id from pool where brand_code = $1)))
		     and ($1::text is not null or $3::uuid is not null or $4::text is not null or s.environment = 'live')
		     and ($2::text is null or s.status = $2)
		     and ($3::uuid is null or s.shipment_id = any(array(select unnest(shipment_ids) from orders where order_id = $3)))
		     and ($4::text is null or s.shipment_id in ${FOUND}) and ($5::uuid is null or s.shipment_id < $5)
		   order by s.shipment_id desc limit $6)
		select (select jsonb_agg(jsonb_build_object('orderId', o.order_id, 'token', o.reservation_token, 'status', o.status) order by b.n)
		          from unnest(s.order_ids) with ordinality b(order_id, n) join orders o using (order_id)), ${RECORD_COLUMNS}
		  from page join shipment s using (shipment_id) order by s.shipment_id desc`;
	const { items, hasMore } = await firstRows(limit, async (most) => {
		const query = { text, values: [brandCode, status, orderId, search, before, most], rowMode: "array" };
		return (await db.query(query as unknown as string)) as unknown as { rows: [OrderInBox[], ...unknown[]][] };
	});
	return { items: items.map((row) => ({ orders: row[0], record: toShipmentRecord(row, 1) })), hasMore };
}
