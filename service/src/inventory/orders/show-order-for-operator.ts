import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findNamedOrder } from "./find-named-order.ts";
import { type OrderOwner, selectOwner } from "./operator-sql.ts";
import type { OrderRecord } from "./order-record.ts";
import { showOrder } from "./show-order.ts";

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
