import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type OrderInBox, selectBox } from "./box-sql.ts";
import { selectOrder, selectShipment } from "./find-order-sql.ts";
import { type OrderOwner, selectOwners } from "./operator-sql.ts";
import type { OrderRecord, ShipmentRecord } from "./order-record.ts";

/** The current state of an order that must exist; orders are never deleted. */
export const showOrder = async (db: Query, orderId: string): Promise<OrderRecord> =>
	must(await selectOrder(db, orderId), `order ${orderId}`);

/** An order for the operator: the partner's view and the owner. */
export interface OrderForOperator extends OrderRecord {
	readonly owner: OrderOwner;
}

/** An order that must exist, for the operator. */
export async function orderForOperator(db: Query, orderId: string): Promise<OrderForOperator> {
	const record = await showOrder(db, orderId);
	const { rows } = await selectOwners(db, [record.order.keyId]);
	return { ...record, owner: must(rows[0], `the key of order ${orderId}`) };
}

export interface BoxNow {
	readonly record: ShipmentRecord;
	readonly orders: readonly OrderInBox[];
}

/** The current state of a box that must exist. */
export async function showBox(db: Query, shipmentId: string): Promise<BoxNow> {
	const [record, { rows }] = await Promise.all([selectShipment(db, shipmentId), selectBox(db, shipmentId)]);
	return { record, orders: rows[0]?.orders ?? [] };
}
