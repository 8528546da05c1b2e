import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type OrderInBox, selectBox } from "./box-sql.ts";
import { findNamedOrder } from "./find-order.ts";
import { selectOrder, selectShipment } from "./find-order-sql.ts";
import { type OrderOwner, selectOwner } from "./operator-sql.ts";
import type { OrderRecord, ShipmentRecord } from "./order-record.ts";

/** An order that is known to exist, as it is now. Orders are never deleted. */
export const showOrder = async (db: Query, orderId: string): Promise<OrderRecord> =>
	must(await selectOrder(db, orderId), `order ${orderId}`);

/** An order as the operator sees it: what its partner sees, and whose it is. */
export interface OrderForOperator extends OrderRecord {
	readonly owner: OrderOwner;
}

/**
 * The order that an operator names, as it is now. Refuses `order_not_found`, or `invalid_input` when several have the
 * name.
 */
export async function showOrderForOperator(
	db: Query,
	name: string,
): Promise<OrderForOperator | Refusal<"order_not_found" | "invalid_input">> {
	const found = await findNamedOrder(db, name);
	return isRefusal(found) ? found : await orderForOperator(db, found.orderId);
}

/** An order that is known to exist, as the operator sees it. */
export async function orderForOperator(db: Query, orderId: string): Promise<OrderForOperator> {
	const record = await showOrder(db, orderId);
	const { rows } = await selectOwner(db, record.order.keyId);
	return { ...record, owner: must(rows[0], `the key of order ${orderId}`) };
}

/** A box after something was done with it, and its orders as they are now. */
export interface BoxNow {
	readonly record: ShipmentRecord;
	readonly orders: readonly OrderInBox[];
}

/** A box that is known to exist, as it is now. */
export async function showBox(db: Query, shipmentId: string): Promise<BoxNow> {
	const [record, { rows }] = await Promise.all([selectShipment(db, shipmentId), selectBox(db, shipmentId)]);
	return { record, orders: rows[0]?.orders ?? [] };
}
