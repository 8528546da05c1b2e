import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";
import { RECORD_COLUMNS, toShipmentRecord } from "./find-order-sql.ts";
import type { NamedOrder } from "./named-order.ts";
import type { OrderStatus, ServiceLevel } from "./order.ts";
import type { ShipmentRecord } from "./order-record.ts";
import { type ShipmentStatus, WAITING_IN_SQL } from "./shipment.ts";

/* Boxes, read for packing, shipping and voiding before the engine locks anything. */

export interface OrderInBox extends NamedOrder {
	readonly status: OrderStatus;
}

/** A box with the identifiers that a command on it must name. */
export interface FoundBox {
	readonly shipmentId: string;
	readonly status: ShipmentStatus;
	readonly trackingNumber: string | null;
	readonly shippedAt: Date | null;
	/** All orders in it, with what people call them; the first decides the address. */
	readonly orders: readonly (OrderInBox & { readonly called: string })[];
	/** Lots recorded as its contents; empty before it ships. */
	readonly fgIds: readonly string[];
}

const BOX = `s.shipment_id as "shipmentId", s.status, s.tracking_number as "trackingNumber", s.shipped_at as "shippedAt",
	(select jsonb_agg(jsonb_build_object('orderId', o.order_id, 'token', o.reservation_token, 'status', o.status,
	          'called', coalesce(o.external_order_id, o.ref)) order by b.n)
	   from unnest(s.order_ids) with ordinality b(order_id, n) join orders o using (order_id)) as orders,
	array(select distinct l ->> 'fg_id' from jsonb_array_elements(s.items) i, jsonb_array_elements(i -> 'lots') l order by 1) as "fgIds"`;

export const selectBox = (db: Query, shipmentId: string) =>
	db.query<FoundBox>(`select ${BOX} from shipment s where s.shipment_id = $1`, [shipmentId]);

/** Every box that these orders are or were in, with one row per order and box. */
export const selectBoxesOf = (db: Query, orderIds: readonly string[]) =>
	db.query<FoundBox & { readonly ofOrder: string }>(
		`select o.order_id as "ofOrder", ${BOX}
		   from orders o cross join lateral unnest(o.shipment_ids) x(shipment_id) join shipment s on s.shipment_id = x.shipment_id
		  where o.order_id = any($1::uuid[]) order by o.order_id, s.shipment_id`,
		[orderIds],
	);

export interface QueuedOrder extends OrderInBox {
	/** The partner's name. */
	readonly partner: string;
	/** The customer's name. */
	readonly customer: string;
	readonly note: string | null;
	readonly holdReason: HoldReason | null;
	readonly holdDetail: string | null;
	/** Whether the order waits to be picked, for the first time or again. */
	readonly toPick: boolean;
	readonly pickAgain: boolean;
}

export interface QueuedBox {
	readonly record: ShipmentRecord;
	readonly serviceLevel: ServiceLevel;
	/** When the oldest order in it was placed. */
	readonly waitingSince: Date;
	/** In the order of the record's orders. */
	readonly orders: readonly QueuedOrder[];
}

/** A null filter is ignored, but sandbox boxes are included only when their brand is requested. */
export interface QueueFilter {
	readonly brandCode: string | null;
	readonly status: ShipmentStatus | null;
	/** Only boxes with an order that waits to be picked; absent: all. */
	readonly toPick?: true;
	/** Only boxes after this place in the queue; absent: from its head. */
	readonly after?: QueuePlace;
}

export interface QueuePlace {
	readonly serviceLevel: ServiceLevel;
	readonly waitingSince: Date;
	readonly shipmentId: string;
}

type QueueRow = [serviceLevel: ServiceLevel, waitingSince: Date, orders: QueuedOrder[], ...record: unknown[]];

/** Whether order `o` waits to be picked; the same rule as `canBePicked`. */
export const TO_PICK = "(o.status = 'placed' or (o.pick_again and o.status in ('picked', 'partially_shipped')))";

/** Whether order `o` was picked and its box must be unpacked and picked again: the rule of `mustBePickedAgain`. */
const PICK_AGAIN = "(o.pick_again or (o.status = 'placed' and o.picked_at is not null))";

/** The most urgent service level first. */
const RANK = (level: string): string => `array_position(array['overnight', 'expedited', 'standard'], ${level})`;

/**
 * At most `limit` waiting boxes: overnight before expedited before standard, and then the oldest first. Reads only open
 * orders.
 */
export async function listQueue(
	db: Query,
	{ brandCode, status, toPick, after }: QueueFilter,
	limit: number,
): Promise<FirstRows<QueuedBox>> {
	const text = `
		with waiting as (
		  select s.shipment_id, min(o.placed_at) as since,
		         jsonb_agg(jsonb_build_object('orderId', o.order_id, 'token', o.reservation_token, 'status', o.status, 'note', o.note, 'partner', r.name, 'customer', o.customer ->> 'name',
		                     'holdReason', o.hold_reason, 'holdDetail', o.hold_detail, 'toPick', ${TO_PICK}, 'pickAgain', ${PICK_AGAIN})
		                   order by array_position(s.order_ids, o.order_id)) as orders,
		         (array_agg(o.service_level))[1] as service_level
		    from orders o cross join lateral unnest(o.shipment_ids) x(shipment_id)
		    join shipment s on s.shipment_id = x.shipment_id join pool p on p.pool_id = s.pool_id
		    join partner r on r.partner_id = o.partner_id
		   where o.is_open and s.status in ${WAITING_IN_SQL} and ($2::text is null or s.status = $2)
		     and case when $1::text is null then s.environment = 'live' else p.brand_code = $1 end
		   group by s.shipment_id having $4::bool is null or bool_or(${TO_PICK}))
		select w.service_level, w.since, w.orders, ${RECORD_COLUMNS}
		  from waiting w join shipment s using (shipment_id)
		 where $5::text is null or (${RANK("w.service_level")}, w.since, s.shipment_id) > (${RANK("$5")}, $6::timestamptz, $7::uuid)
		 order by ${RANK("w.service_level")}, w.since, s.shipment_id limit $3`;
	const { items, hasMore } = await firstRows(limit, async (most) => {
		const place = [after?.serviceLevel ?? null, after?.waitingSince ?? null, after?.shipmentId ?? null];
		const query = { text, values: [brandCode, status, most, toPick ?? null, ...place], rowMode: "array" };
		return (await db.query(query as unknown as string)) as unknown as { rows: QueueRow[] };
	});
	const boxes = items.map((row) => {
		const [serviceLevel, waitingSince, orders] = row;
		return { record: toShipmentRecord(row, 3), serviceLevel, waitingSince, orders };
	});
	return { items: boxes, hasMore };
}
