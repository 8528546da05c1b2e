import type { Query } from "../pg/connect.ts";
import { type ListedOrder, type OrderFilter, selectOrders } from "./operator-sql.ts";

export interface OrderList {
	readonly items: readonly ListedOrder[];
	/** Are there more orders than the limit? */
	readonly hasMore: boolean;
}

/** At most `limit` orders, the newest first. */
export async function listOrders(db: Query, filter: OrderFilter, limit: number): Promise<OrderList> {
	const { rows } = await selectOrders(db, filter, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
