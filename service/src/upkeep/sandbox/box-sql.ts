import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import type { OrderStatus, ServiceLevel } from "../../inventory/orders/order.ts";
import { WAITING_IN_SQL } from "../../inventory/orders/shipment.ts";
import { type BoxedTestOrder, PICKED_AFTER_MS, SHIPPED_AFTER_MS, type TestBox } from "./box.ts";

/* Boxes of the sandbox and the orders that wait in them, read without a lock: the engine checks every step again. */

type BoxRow = [
	shipmentId: string,
	orderId: string,
	token: string,
	status: OrderStatus,
	serviceLevel: ServiceLevel,
	ageMs: number,
	actsOutHeld: boolean,
];

/** Columns of each order in the boxes `due(shipment_id, order_ids)`. */
const ORDERS_OF_BOXES = `
	 select d.shipment_id, o.order_id, o.reservation_token, o.status, o.service_level,
	        floor(extract(epoch from statement_timestamp() - o.placed_at) * 1000)::float8,
	        not o.was_held and exists (
	          select from hold h cross join jsonb_to_recordset(h.lines) as l(sku text) join sku k using (sku)
	           where h.reservation_token = o.reservation_token and k.test_behaviour = 'held')
	   from due d cross join unnest(d.order_ids) with ordinality b(order_id, n) join orders o using (order_id)
	  order by d.shipment_id, b.n`;

const ago = (parameter: string): string => `statement_timestamp() - ${parameter}::float8 * interval '1 millisecond'`;

/* The index of advancing orders contains only those of the last minute and those that wait beside a held one. */
const dueBoxes = prepared<BoxRow>(
	"select_due_boxes",
	`with due as materialized (
	   select distinct shipment_id, order_ids from (
	     select s.shipment_id, s.order_ids from orders o
	      cross join lateral (
	        select shipment_id, order_ids from shipment
	         where shipment_id = any(o.shipment_ids) and status in ('awaiting_shipment', 'label_created') offset 0) s
	      where o.is_advancing and o.placed_at <= ${ago("$1")} and (o.status = 'placed' or o.placed_at <= ${ago("$2")})
	      order by o.placed_at limit $3) x)
	 ${ORDERS_OF_BOXES}`,
);
/** Boxes with an order that may be due, at most `most`, the longest overdue first. */
export const selectDueBoxes = async (db: Query, most: number): Promise<TestBox[]> =>
	toBoxes(await dueBoxes(db, [PICKED_AFTER_MS, SHIPPED_AFTER_MS, most]));

const boxOfOrder = prepared<BoxRow>(
	"select_box_of_order",
	`with due as materialized (
	   select s.shipment_id, s.order_ids from orders o join shipment s on s.shipment_id = any(o.shipment_ids)
	    where o.order_id = $1 and s.status in ${WAITING_IN_SQL})
	 ${ORDERS_OF_BOXES}`,
);
/** The box that an order waits in; undefined if nothing of the order is left to ship. */
export const selectBoxOf = async (db: Query, orderId: string): Promise<TestBox | undefined> =>
	toBoxes(await boxOfOrder(db, [orderId]))[0];

function toBoxes(rows: readonly BoxRow[]): TestBox[] {
	const boxes = new Map<string, BoxedTestOrder[]>();
	for (const [shipmentId, orderId, token, status, serviceLevel, ageMs, actsOutHeld] of rows) {
		const box = boxes.get(shipmentId) ?? [];
		if (box.length === 0) boxes.set(shipmentId, box);
		box.push({ orderId, token, status, serviceLevel, ageMs, actsOutHeld });
	}
	return [...boxes.values()];
}
