import type { Environment } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { OrderStatus } from "./order.ts";

/* Erases customers' data. Orders are locked before their boxes, each by id, as everywhere (docs/decisions/0003). */

/** An order as far as erasing its customer's data is concerned. */
export interface OrderToErase {
	readonly orderId: string;
	/** What people call it (`nameOfOrder`). */
	readonly called: string;
	readonly environment: Environment;
	readonly status: OrderStatus;
	readonly isErased: boolean;
}
const FACTS = `o.order_id as "orderId", coalesce(o.external_order_id, o.ref) as called, o.environment, o.status, o.customer_erased_at is not null as "isErased"`;

/** The orders with these ids. Locks nothing. */
export const selectOrdersToErase = async (db: Query, orderIds: readonly string[]): Promise<OrderToErase[]> =>
	(
		await db.query<OrderToErase>(
			`select ${FACTS} from orders o where o.order_id = any($1::uuid[]) order by o.order_id`,
			[orderIds],
		)
	).rows;

/** The orders of an e-mail address, in whatever case it was written. No index has it: every order is read once. */
export const selectOrdersOfEmail = async (db: Query, email: string, most: number): Promise<OrderToErase[]> =>
	(
		await db.query<OrderToErase>(
			`select ${FACTS} from orders o where lower(btrim(o.customer ->> 'email')) = lower(btrim($1::text))
			  order by o.order_id limit $2`,
			[email, most],
		)
	).rows;

/** Locks orders, so that nothing else changes them until the transaction ends. */
export const lockOrdersToErase = async (tx: Query, orderIds: readonly string[]): Promise<OrderToErase[]> =>
	(
		await tx.query<OrderToErase>(
			`select ${FACTS} from orders o where o.order_id = any($1::uuid[]) order by o.order_id for update`,
			[orderIds],
		)
	).rows;

/**
 * Locks at most `most` orders that ended more than `days` ago and still have a customer, in the order in which they
 * ended. Skips those that another node erases.
 */
export const lockDueOrders = async (tx: Query, days: number, most: number): Promise<OrderToErase[]> =>
	(
		await tx.query<OrderToErase>(
			`select ${FACTS} from orders o
			  where o.customer_erased_at is null and not o.is_open
			    and coalesce(o.shipped_at, o.cancelled_at) < now() - make_interval(days => $1)
			  order by coalesce(o.shipped_at, o.cancelled_at) limit $2 for update skip locked`,
			[days, most],
		)
	).rows;

/** Locks the boxes that show where these orders went, and returns their ids. */
export async function lockBoxesOf(tx: Query, orderIds: readonly string[]): Promise<string[]> {
	const { rows } = await tx.query<{ id: string }>(
		`select shipment_id as id from shipment
		  where shipment_id = any(array(
		    select unnest(shipment_ids) from orders where order_id = any($1::uuid[])
		    union all select shipment_id from shipment where status = 'cancelled' and order_ids[1] = any($1::uuid[])))
		  order by shipment_id for update`,
		[orderIds],
	);
	return rows.map(({ id }) => id);
}

/**
 * Erases the customers of locked orders. The orders and their boxes take new numbers in their lists, because both show
 * the customer: so this comes last in its transaction (docs/decisions/0029).
 */
export const blankOrders = (tx: Query, orderIds: readonly string[], boxIds: readonly string[]): Promise<unknown> =>
	tx.query(
		`with
		   taken as materialized (
		     select last - cardinality($1::uuid[]) - cardinality($2::uuid[]) as before, at
		       from take_numbers_at('shipment_epoch', cardinality($1::uuid[]) + cardinality($2::uuid[]))),
		   shown as (
		     update shipment s set version = version + 1, modified_at = at, listed_at = at,
		            modified_seq = before + cardinality($1::uuid[]) + b.n
		       from unnest($2::uuid[]) with ordinality b(shipment_id, n) cross join taken
		      where s.shipment_id = b.shipment_id)
		 update orders o set version = version + 1, updated_at = at, modified_seq = before + n.n, customer_erased_at = at,
		        note = null, cancel_reason = null,
		        customer = jsonb_build_object('name', '', 'ship_to', jsonb_build_object(
		          'line1', '', 'city', '', 'postal_code', '', 'country', customer -> 'ship_to' -> 'country'))
		   from unnest($1::uuid[]) with ordinality n(order_id, n) cross join taken
		  where o.order_id = n.order_id`,
		[orderIds, boxIds],
	);

/** The ids and references by which the log of requests knows an order. */
export interface NamesOfOrder {
	readonly orderId: string;
	readonly token: string;
	readonly keyId: string;
	readonly ref: string;
}
export const selectNamesOfOrders = async (db: Query, orderIds: readonly string[]): Promise<NamesOfOrder[]> =>
	(
		await db.query<NamesOfOrder>(
			`select order_id as "orderId", reservation_token as token, key_id as "keyId", ref
			   from orders where order_id = any($1::uuid[]) order by order_id`,
			[orderIds],
		)
	).rows;
