import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { cancelOrder } from "./cancel-order.ts";
import { findNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import { orderForOperator } from "./show-order-for-operator.ts";

/**
 * Cancels the order that an operator names, as its partner could. `reason`: in words, kept with the order for the
 * operator.
 */
export async function cancelNamedOrder(
	{ db, engine, labels }: OperatorDeps,
	name: string,
	wish: { readonly origin: Origin; readonly reason: string | null },
) {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const orderId = await cancelOrder({ engine, labels }, found, wish);
	return isRefusal(orderId) ? orderId : await orderForOperator(db, orderId);
}
