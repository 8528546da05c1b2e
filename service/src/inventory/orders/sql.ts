import type { Environment } from "../../glossary.ts";
import { idsAndPlaces, plainArray, plainOrNone, textArray, textOrNone, timesAndPlaces } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";
import type { OrderNeeds } from "./needs.ts";
import type { Customer, Order, OrderStatus, ServiceLevel } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { PackedItem, Shipment, ShipmentStatus } from "./shipment.ts";

/*
 * Orders are locked in the order of their ids, after holds, and boxes in the order of theirs, after orders. Lookups are
 * lateral with `offset 0` for the reason given in stock/sql.ts.
 */

/** Ids of the orders that a batch names, by id and as what was made of a hold. */
const NAMED_ORDERS = `
	    select unnest($1::uuid[])
	    union all
	    select o.order_id from unnest($2::uuid[]) t(token)
	     cross join lateral (select order_id from orders where reservation_token = t.token offset 0) o`;
/** Ids of those and of the orders that wait in one box with them. */
const BOXED_ORDERS = `
	    ${NAMED_ORDERS}
	    union all
	    select unnest(s.order_ids) from (${NAMED_ORDERS}) n(order_id)
	     cross join lateral (select shipment_ids from orders where order_id = n.order_id offset 0) o
	     cross join lateral (
	       select order_ids from shipment
	        where shipment_id = any(o.shipment_ids) and cardinality(order_ids) > 1
	          and status in ('awaiting_shipment', 'on_hold', 'label_created') offset 0) s`;
/** The same and the orders under the Idempotency-Keys that a batch names. */
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

const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::bigint`;

export const ORDER_COLUMNS = `o.order_id, o.key_id, o.partner_id, o.environment, o.ref, o.external_order_id, o.reservation_token, o.pool_id,
	o.status, o.version, o.hold_reason, o.hold_detail, o.cancel_reason, o.customer, o.service_level, o.note, o.shipment_ids,
	o.pick_again, ${["placed_at", "held_at", "picked_at", "shipped_at", "cancelled_at", "updated_at"].map((name) => ms(`o.${name}`)).join(", ")}`;

export type OrderRow = [
	orderId: string,
	keyId: string,
	partnerId: string,
	environment: Environment,
	ref: string,
	externalOrderId: string | null,
	token: string,
	poolId: number,
	status: OrderStatus,
	version: number,
	holdReason: HoldReason | null,
	holdDetail: string | null,
	cancelReason: string | null,
	customer: Customer,
	serviceLevel: ServiceLevel,
	note: string | null,
	shipmentIds: string[],
	pickAgain: boolean,
	placedAt: number,
	heldAt: number | null,
	pickedAt: number | null,
	shippedAt: number | null,
	cancelledAt: number | null,
	updatedAt: number,
];

export function toOrder(row: OrderRow): Order {
	const [orderId, keyId, partnerId, environment, ref, externalOrderId, token, poolId, status, version, ...rest] = row;
	const [holdReason, holdDetail, cancelReason, customer, serviceLevel, note, shipmentIds, pickAgain, ...times] = rest;
	const [placedAt, heldAt, pickedAt, shippedAt, cancelledAt, updatedAt] = times;
	return {
		...{ orderId, keyId, partnerId, environment, ref, externalOrderId, token, poolId, status, version },
		...{ holdReason, holdDetail, cancelReason, customer, serviceLevel, note, shipmentIds, pickAgain },
		...{ placedAt, heldAt, pickedAt, shippedAt, cancelledAt, updatedAt },
	};
}

const lockNeededOrders = prepared<OrderRow>(
	"lock_orders",
	`select ${ORDER_COLUMNS} from orders o where o.order_id = ${NEEDED_ORDERS} order by o.order_id for update`,
);
/** Locks and reads the orders that a batch needs, with those that wait in one box with them. */
export const lockOrders = (tx: Query, needs: OrderNeeds) => lockNeededOrders(tx, orderColumns(needs));

const ordersOfHolds = prepared<OrderRow>(
	"read_orders_of",
	`select ${ORDER_COLUMNS} from orders o where o.reservation_token = any($1::uuid[])`,
);
/** Reads the orders that were made of holds, without locks: for reports. */
export const readOrdersOf = (db: Query, tokens: readonly string[]) => ordersOfHolds(db, [plainArray(tokens)]);

export const SHIPMENT_COLUMNS = `s.shipment_id, s.pool_id, s.environment, s.status, s.order_ids, s.carrier_code, s.service_code,
	s.tracking_number, s.items, ${ms("s.created_at")}, ${ms("s.label_created_at")}, ${ms("s.shipped_at")}, ${ms("s.voided_at")},
	${ms("s.modified_at")}, s.version`;

export type ShipmentRow = [
	shipmentId: string,
	poolId: number,
	environment: Environment,
	status: ShipmentStatus,
	orderIds: string[],
	carrierCode: string | null,
	serviceCode: string | null,
	trackingNumber: string | null,
	items: PackedItem[] | null,
	createdAt: number,
	labelCreatedAt: number | null,
	shippedAt: number | null,
	voidedAt: number | null,
	modifiedAt: number,
	version: number,
];

export function toShipment(row: ShipmentRow): Shipment {
	const [shipmentId, poolId, environment, status, orderIds, carrierCode, serviceCode, trackingNumber, items, ...rest] =
		row;
	const [createdAt, labelCreatedAt, shippedAt, voidedAt, modifiedAt, version] = rest;
	return {
		...{ shipmentId, poolId, environment, status, orderIds, carrierCode, serviceCode, trackingNumber, items },
		...{ createdAt, labelCreatedAt, shippedAt, voidedAt, modifiedAt, version },
	};
}

const lockNeededShipments = prepared<ShipmentRow>(
	"lock_shipments",
	`select ${SHIPMENT_COLUMNS} from shipment s
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
/** Whose holds these are. */
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
/** Orders of the batch that somebody keeps locked, or whose box is kept so. */
export const selectBlockedOrders = (tx: Query, needs: OrderNeeds) => blockedOrders(tx, orderColumns(needs));

/** Ids of one row as an element of an array of texts. */
const idArray = (ids: readonly string[]): string => plainArray(ids);

/*
 * An order and its box are written as they were made: with few columns, and by a statement that need not know what else
 * may become of them. What a later command of the same batch did to them is written by the statements for changed ones,
 * which are sent after it.
 */
const insertOrders = prepared(
	"insert_orders",
	`insert into orders (order_id, key_id, partner_id, environment, ref, external_order_id, reservation_token, pool_id, status, version,
	                     customer, service_level, note, shipment_ids, placed_at, updated_at)
	 select order_id, ($3::uuid[])[key], ($5::uuid[])[partner], environment, ref, external_order_id, token, pool_id, 'placed', 1,
	        customer, service_level, note, array[shipment_id], ($7::timestamptz[])[placed], ($7::timestamptz[])[placed]
	   from rows from (
	          unnest($2::uuid[], $4::int[], $6::int[], $8::int[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::int[],
	                 $14::text[], $15::text[], $16::uuid[]),
	          jsonb_array_elements($1::jsonb))
	     u(order_id, key, partner, placed, environment, ref, external_order_id, token, pool_id, service_level, note, shipment_id, customer)
	  order by ($3::uuid[])[key], ref`, // two transactions may meet at the unique index
);
const newOrderColumns = (orders: readonly Order[], boxIds: readonly string[]): (string | null)[] => [
	JSON.stringify(orders.map(({ customer }) => customer)),
	plainArray(orders.map(({ orderId }) => orderId)),
	...idsAndPlaces(orders.map(({ keyId }) => keyId)),
	...idsAndPlaces(orders.map(({ partnerId }) => partnerId)),
	...timesAndPlaces([orders.map(({ placedAt }) => placedAt)]),
	plainArray(orders.map(({ environment }) => environment)),
	textArray(orders.map(({ ref }) => ref)),
	textOrNone(orders.map(({ externalOrderId }) => externalOrderId)),
	...(["token", "poolId", "serviceLevel"] as const).map((name) => plainArray(orders.map((o) => o[name]))),
	textOrNone(orders.map(({ note }) => note)),
	plainArray(boxIds),
];

const TIMES_OF_ORDER = ["heldAt", "pickedAt", "shippedAt", "cancelledAt", "updatedAt"] as const;

const updateOrders = prepared(
	"update_orders",
	`update orders o set status = n.status, version = n.version, hold_reason = n.hold_reason, hold_detail = n.hold_detail,
	        shipment_ids = n.shipment_ids::uuid[], held_at = ($1::timestamptz[])[n.held], picked_at = ($1::timestamptz[])[n.picked],
	        shipped_at = ($1::timestamptz[])[n.shipped], cancelled_at = ($1::timestamptz[])[n.cancelled],
	        updated_at = ($1::timestamptz[])[n.updated], cancel_reason = n.cancel_reason, pick_again = n.pick_again,
	        was_held = o.was_held or 'held' in (o.status, n.status)
	   from unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::int[],
	               $7::uuid[], $8::text[], $9::int[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bool[])
	     n(held, picked, shipped, cancelled, updated, order_id, status, version, hold_reason, hold_detail, shipment_ids, cancel_reason, pick_again)
	  where o.order_id = n.order_id`,
);
const changedOrderColumns = (orders: readonly Order[]): (string | null)[] => [
	...timesAndPlaces(TIMES_OF_ORDER.map((name) => orders.map((order) => order[name]))),
	...(["orderId", "status", "version"] as const).map((name) => plainArray(orders.map((o) => o[name]))),
	plainOrNone(orders.map(({ holdReason }) => holdReason)),
	textOrNone(orders.map(({ holdDetail }) => holdDetail)),
	textArray(orders.map(({ shipmentIds }) => idArray(shipmentIds))),
	textOrNone(orders.map(({ cancelReason }) => cancelReason)),
	plainArray(orders.map(({ pickAgain }) => String(pickAgain))),
];

/**
 * A part of a statement that takes a number of the list of boxes for each id in an array, and knows as `before` the
 * number before the first of them (docs/decisions/0029), and as `at` the time of the numbers (docs/decisions/0064).
 * `ids`: the array, in SQL.
 */
const taken = (ids: string): string =>
	`taken as materialized (
	   select last - cardinality(${ids}) as before, at from take_numbers_at('shipment_epoch', cardinality(${ids})))`;
const insertShipments = prepared(
	"insert_shipments",
	`with ${taken("$1::uuid[]")}
	 insert into shipment (shipment_id, pool_id, environment, status, order_ids, created_at, modified_at, version, modified_seq, listed_at)
	 select shipment_id, pool_id, environment, 'awaiting_shipment', array[order_id], ($5::timestamptz[])[made], ($5::timestamptz[])[made], 1,
	        before + n, at
	   from taken cross join unnest($1::uuid[], $2::int[], $3::text[], $4::uuid[], $6::int[]) with ordinality
	        t(shipment_id, pool_id, environment, order_id, made, n)`,
);
const newShipmentColumns = (shipments: readonly Shipment[], orderIds: readonly string[]): (string | null)[] => [
	...(["shipmentId", "poolId", "environment"] as const).map((name) => plainArray(shipments.map((s) => s[name]))),
	plainArray(orderIds),
	...timesAndPlaces([shipments.map(({ createdAt }) => createdAt)]),
];

const TIMES_OF_BOX = ["labelCreatedAt", "shippedAt", "voidedAt", "modifiedAt"] as const;

const updateShipments = prepared(
	"update_shipments",
	`with ${taken("$2::uuid[]")}
	 update shipment s set status = u.status, order_ids = u.order_ids::uuid[], carrier_code = u.carrier_code, service_code = u.service_code,
	   tracking_number = u.tracking_number, items = nullif(u.items, 'null'), label_created_at = ($7::timestamptz[])[labelled],
	   shipped_at = ($7::timestamptz[])[shipped], voided_at = ($7::timestamptz[])[voided],
	   modified_at = ($7::timestamptz[])[modified], version = u.version, modified_seq = before + n, listed_at = at
	   from taken cross join rows from (
	          unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $8::int[], $9::int[], $10::int[], $11::int[], $12::text[], $13::int[]),
	          jsonb_array_elements($1::jsonb)) with ordinality
	        u(shipment_id, status, order_ids, carrier_code, service_code, labelled, shipped, voided, modified, tracking_number, version, items, n)
	  where s.shipment_id = u.shipment_id`,
);
const changedShipmentColumns = (shipments: readonly Shipment[]): (string | null)[] => [
	JSON.stringify(shipments.map(({ items }) => items)),
	...(["shipmentId", "status"] as const).map((name) => plainArray(shipments.map((s) => s[name]))),
	textArray(shipments.map(({ orderIds }) => idArray(orderIds))),
	textOrNone(shipments.map(({ carrierCode }) => carrierCode)),
	textOrNone(shipments.map(({ serviceCode }) => serviceCode)),
	...timesAndPlaces(TIMES_OF_BOX.map((name) => shipments.map((s) => s[name]))),
	textOrNone(shipments.map(({ trackingNumber }) => trackingNumber)),
	plainArray(shipments.map(({ version }) => version)),
];

/** Queues the statements that write what the book's commands did to orders. */
export function saveOrders(tx: Query, { orders }: BookWithOrders): Promise<unknown>[] {
	const sent: Promise<unknown>[] = [];
	if (orders.newOrders.size > 0)
		sent.push(insertOrders(tx, newOrderColumns([...orders.newOrders.keys()], [...orders.newOrders.values()])));
	if (orders.changedOrders.size > 0) sent.push(updateOrders(tx, changedOrderColumns([...orders.changedOrders])));
	return sent;
}

/** Writes the boxes that are new or changed, with the numbers of their list. Null: none is. */
export function numberShipments({ orders }: BookWithOrders): NumberedWrite | null {
	const { newShipments: made, changedShipments: changed } = orders;
	if (made.size + changed.size === 0) return null;
	return (tx) =>
		Promise.all([
			made.size > 0 ? insertShipments(tx, newShipmentColumns([...made.keys()], [...made.values()])) : null,
			changed.size > 0 ? updateShipments(tx, changedShipmentColumns([...changed])) : null,
		]);
}
