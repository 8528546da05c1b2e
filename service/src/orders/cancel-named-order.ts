import { isRefusal } from "../lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { cancelOrder } from "./cancel-order.ts";
import { findNamedOrder } from "./find-named-order.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { orderForOperator } from "./show-order-for-operator.ts";

/** Cancels the order that an operator names, as its partner could. */
export async function cancelNamedOrder({ db, engine, labels }: OperatorDeps, name: string, origin: Origin) {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const orderId = await cancelOrder({ engine, labels }, found, origin);
	return isRefusal(orderId) ? orderId : await orderForOperator(db, orderId);
}
