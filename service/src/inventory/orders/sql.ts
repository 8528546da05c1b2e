import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";
import {
	type ColumnsOf,
	flag,
	id,
	ids,
	int,
	json,
	nullable,
	pick,
	readerOf,
	repeated,
	sentRows,
	text,
	time,
	word,
} from "../../ground/pg/table.ts";
import type { OrderNeeds } from "./needs.ts";
import type { Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { IN_WAREHOUSE_IN_SQL, type Shipment } from "./shipment.ts";

/*
 * Orders are locked by id, after holds; boxes are locked by id, after orders. Lookups are lateral joins with `offset 0`
 * for the reason given in stock/sql.ts.
 */

/** Ids of the orders that a batch names by id or by hold. */
const NAMED_ORDERS = `
	    select unnest($1::uuid[])
	    union all
	    select o.order_id from unnest($2::uuid[]) t(token)
	     cross join lateral (select order_id from orders where reservation_token = t.token offset 0) o`;
/** Those ids and the orders whose units may be in the same boxes. */
const BOXED_ORDERS = `
	    ${NAMED_ORDERS}
	    union all
	    select unnest(s.order_ids) from (${NAMED_ORDERS}) n(order_id)
	     cross join lateral (select shipment_ids from orders where order_id = n.order_id offset 0) o
	     cross join lateral (
	       select order_ids from shipment
	        where shipment_id = any(o.shipment_ids) and cardinality(order_ids) > 1
	          and ${IN_WAREHOUSE_IN_SQL} offset 0) s`;
/** Those ids and the orders under the Idempotency-Keys that a batch names. */
const NEEDED_ORDERS = `any(array(${BOXED_ORDERS}
	    union all
	    select o.order_id from unnest($3::uuid[], $4::text[]) r(key_id, ref)
	     cross join lateral (select order_id from orders where key_id = r.key_id and ref = r.ref offset 0) o))`;

const boxColumns = ({ orderIds, ordersOf }: OrderNeeds): string[] => [
	plainArray([...orderIds]),
	plainArray([...ordersOf]),
];
const orderColumns = (needs: OrderNeeds): string[] => [
	...boxColumns(needs),
	plainArray(needs.orderRefs.map(({ keyId }) => keyId)),
	textArray(needs.orderRefs.map(({ ref }) => ref)),
];

const ORDER: ColumnsOf<Order> = {
	orderId: id("order_id"),
	keyId: repeated(id("key_id")),
	partnerId: repeated(id("partner_id")),
	environment: word("environment"),
	ref: text("ref"),
	externalOrderId: nullable(text("external_order_id")),
	reservationToken: id("reservation_token"),
	poolId: int("pool_id"),
	status: word("status"),
	version: int("version"),
	holdReason: nullable(word("hold_reason")),
	holdDetail: nullable(text("hold_detail")),
	cancelReason: nullable(text("cancel_reason")),
	customer: json("customer"),
	serviceLevel: word("service_level"),
	note: nullable(text("note")),
	shipmentIds: ids("shipment_ids"),
	pickAgain: flag("pick_again"),
	placedAt: time("placed_at"),
	heldAt: nullable(time("held_at")),
	pickedAt: nullable(time("picked_at")),
	shippedAt: nullable(time("shipped_at")),
	cancelledAt: nullable(time("cancelled_at")),
	updatedAt: time("updated_at"),
	customerErasedAt: nullable(time("customer_erased_at")),
};
export const orderReader = readerOf(ORDER);

const SHIPMENT: ColumnsOf<Shipment> = {
	shipmentId: id("shipment_id"),
	poolId: int("pool_id"),
	environment: word("environment"),
	status: word("status"),
	orderIds: ids("order_ids"),
	carrierCode: nullable(text("carrier_code")),
	serviceCode: nullable(text("service_code")),
	trackingNumber: nullable(text("tracking_number")),
	items: nullable(json("items")),
	createdAt: time("created_at"),
	labelCreatedAt: nullable(time("label_created_at")),
	labelVoidedAt: nullable(time("label_voided_at")),
	shippedAt: nullable(time("shipped_at")),
	shippedBy: nullable(text("shipped_by")),
	voidedAt: nullable(time("voided_at")),
	modifiedAt: time("modified_at"),
	version: int("version"),
};
export const shipmentReader = readerOf(SHIPMENT);

const lockNeededOrders = prepared<readonly unknown[]>(
	"lock_orders",
	`select ${orderReader.select("o")} from orders o where o.order_id = ${NEEDED_ORDERS} order by o.order_id for update`,
);
/** Locks and reads the orders that a batch needs, including those whose units may be in the same boxes. */
export const lockOrders = (tx: Query, needs: OrderNeeds) => lockNeededOrders(tx, orderColumns(needs));

const ordersOfHolds = prepared<readonly unknown[]>(
	"read_orders_of",
	`select ${orderReader.select("o")} from orders o where o.reservation_token = any($1::uuid[])`,
);
/** Reads the orders made from holds without locks, for reports. */
export const readOrdersOf = (db: Query, tokens: readonly string[]) => ordersOfHolds(db, [plainArray(tokens)]);

const lockNeededShipments = prepared<readonly unknown[]>(
	"lock_shipments",
	`select ${shipmentReader.select("s")} from shipment s
	  where s.shipment_id = any(array(
	    select unnest(o.shipment_ids) from orders o where o.order_id = any(array(${BOXED_ORDERS}))))
	  order by s.shipment_id for update`,
);
/** Locks and reads every box that the orders of a batch are or were in. */
export const lockShipments = (tx: Query, needs: OrderNeeds) => lockNeededShipments(tx, boxColumns(needs));

const tokensOfPartners = prepared<[token: string, partnerId: string]>(
	"select_tokens_of_partners",
	"select reservation_token, partner_id from hold where reservation_token = any($1::uuid[])",
);
export const selectTokensOfPartners = (tx: Query, holds: OrderNeeds["placing"]) =>
	tokensOfPartners(tx, [plainArray(holds.map(({ token }) => token))]);

const blockedOrders = prepared<[orderId: string, keyId: string, ref: string, token: string]>(
	"select_blocked_orders",
	`with ${YOUNG}, needed as materialized (select order_id from orders where order_id = ${NEEDED_ORDERS}),
	   free as materialized (
	     select order_id from orders where order_id = any(array(select order_id from needed)) for update skip locked),
	   boxes as materialized (
	     select distinct unnest(shipment_ids) as shipment_id from orders where order_id = any(array(select order_id from needed))),
	   free_boxes as materialized (
	     select shipment_id from shipment where shipment_id = any(array(select shipment_id from boxes)) for update skip locked),
	   kept_boxes as materialized (
	     select shipment_id from shipment
	      where shipment_id = any(array(select shipment_id from boxes))
	        and shipment_id <> all(array(select shipment_id from free_boxes)) and ${KEPT})
	 select o.order_id, o.key_id, o.ref, o.reservation_token from orders o
	  where o.order_id = any(array(select order_id from needed))
	    and ((o.order_id <> all(array(select order_id from free)) and o.${KEPT})
	         or o.shipment_ids && array(select shipment_id from kept_boxes))`,
);
/** Orders of the batch that are kept locked by another transaction, or whose box is. */
export const selectBlockedOrders = (tx: Query, needs: OrderNeeds) => blockedOrders(tx, orderColumns(needs));

/** Returns a row if another transaction keeps the numbers of boxes or of events locked. */
export const selectBlockedNumbers = prepared<[version: number]>(
	"select_blocked_numbers",
	`with ${YOUNG}, boxes as materialized (select version from shipment_epoch for update skip locked),
	   events as materialized (select version from event_epoch for update skip locked)
	 select version from shipment_epoch where not exists (select from boxes) and ${KEPT}
	 union all select version from event_epoch where not exists (select from events) and ${KEPT}`,
);

/**
 * Part of a statement that takes one number of the lists of boxes and orders for each id. It provides `before`, the
 * number before the first of them (docs/decisions/0029), and `at`, their time (docs/decisions/0064). `modified_at` is
 * never after `at`, even if the clock steps back within the transaction, because readers send it back as
 * `updated_since`. `ids`: SQL of an array of ids.
 */
const taken = (ids: string): string =>
	`taken as materialized (
	   select last - cardinality(${ids}) as before, at from take_numbers_at('shipment_epoch', cardinality(${ids})))`;

/*
 * New orders and boxes are inserted with few columns, by statements that can ignore later changes. Changes by later
 * commands of the same batch are written by the update statements, which are sent afterwards.
 */
const newOrders = sentRows(
	{
		...pick(
			ORDER,
			"orderId",
			"keyId",
			"partnerId",
			"environment",
			"ref",
			"externalOrderId",
			"reservationToken",
			"poolId",
		),
		...pick(ORDER, "customer", "serviceLevel", "note", "placedAt"),
		boxId: id("shipment_id"),
	},
	"ordinal",
);
const insertOrders = prepared(
	"insert_orders",
	`with ${taken("$1::uuid[]")}
	 insert into orders (${newOrders.namesBut("boxId")}, shipment_ids, status, version, updated_at, modified_seq)
	 select ${newOrders.valuesBut("boxId")}, array[shipment_id], 'placed', 1, ${newOrders.valueOf("placedAt")}, before + ordinal
	   from taken cross join ${newOrders.from}
	  order by ${newOrders.valueOf("keyId")}, ref`, // fixed order, because two transactions may insert the same keys
);

const changedOrders = sentRows(
	pick(
		ORDER,
		...(["orderId", "status", "version", "holdReason", "holdDetail", "cancelReason", "shipmentIds"] as const),
		...(["pickAgain", "heldAt", "pickedAt", "shippedAt", "cancelledAt", "updatedAt"] as const),
	),
	"ordinal",
);
const updateOrders = prepared(
	"update_orders",
	`with ${taken("$1::uuid[]")}
	 update orders o set ${changedOrders.assignBut("orderId")}, was_held = o.was_held or 'held' in (o.status, n.status),
	        modified_seq = before + ordinal
	   from taken cross join ${changedOrders.from}
	  where o.order_id = n.order_id`,
);

const newShipments = sentRows(
	{ ...pick(SHIPMENT, "shipmentId", "poolId", "environment", "createdAt"), orderId: id("order_id") },
	"ordinal",
);
const insertShipments = prepared(
	"insert_shipments",
	`with ${taken("$1::uuid[]")}
	 insert into shipment (${newShipments.namesBut("orderId")}, status, order_ids, modified_at, version, modified_seq, listed_at)
	 select ${newShipments.valuesBut("orderId")}, 'awaiting_shipment', array[order_id],
	        least(${newShipments.valueOf("createdAt")}, at), 1, before + ordinal, at
	   from taken cross join ${newShipments.from}`,
);

const changedShipments = sentRows(
	pick(
		SHIPMENT,
		...(["shipmentId", "status", "orderIds", "carrierCode", "serviceCode", "trackingNumber", "items"] as const),
		...(["labelCreatedAt", "labelVoidedAt", "shippedAt", "shippedBy", "voidedAt", "modifiedAt", "version"] as const),
	),
	"ordinal",
);
const updateShipments = prepared(
	"update_shipments",
	`with ${taken("$1::uuid[]")}
	 update shipment s set ${changedShipments.assignBut("shipmentId", "modifiedAt")},
	        modified_at = least(${changedShipments.valueOf("modifiedAt")}, at), modified_seq = before + ordinal, listed_at = at
	   from taken cross join ${changedShipments.from}
	  where s.shipment_id = n.shipment_id`,
);

/** Changed orders, and the orders in changed boxes, because an order's reply shows its boxes. */
export function listedAgain({ changedOrders, changedShipments, newOrders: placed, byId }: BookWithOrders["orders"]) {
	const again = new Set(changedOrders);
	for (const { orderIds } of changedShipments)
		for (const orderId of orderIds) {
			const order = byId.get(orderId);
			if (order && !placed.has(order)) again.add(order);
		}
	return again;
}

/** Writes new and changed orders and boxes with their list numbers. Null if there are none. */
export function saveOrders({ orders }: BookWithOrders): NumberedWrite | null {
	const { newOrders: placed, newShipments: made, changedShipments: changed } = orders;
	const moved = listedAgain(orders);
	if (placed.size + moved.size + made.size + changed.size === 0) return null;
	return (tx) =>
		Promise.all([
			placed.size > 0
				? insertOrders(tx, newOrders.parameters([...placed].map(([order, boxId]) => ({ ...order, boxId }))))
				: null,
			moved.size > 0 ? updateOrders(tx, changedOrders.parameters([...moved])) : null,
			made.size > 0
				? insertShipments(tx, newShipments.parameters([...made].map(([box, orderId]) => ({ ...box, orderId }))))
				: null,
			changed.size > 0 ? updateShipments(tx, changedShipments.parameters([...changed])) : null,
		]);
}
