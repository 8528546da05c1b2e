import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectOrder } from "./find-order-sql.ts";
import type { OrderRecord } from "./order-record.ts";

/** An order that is known to exist, as it is now. Orders are never deleted. */
export const showOrder = async (db: Query, orderId: string): Promise<OrderRecord> =>
	must(await selectOrder(db, orderId), `order ${orderId}`);
