import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findEachNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import type { OrderStatus } from "./order.ts";
import { showOrder } from "./show-order.ts";

/** What became of one order that was to be picked. */
export interface PickedOrder {
	readonly orderId: string;
	readonly ref: string;
	readonly externalOrderId: string | null;
	readonly status: OrderStatus;
	readonly picked: boolean;
	/** Why it was not picked, in words; null: it was. */
	readonly why: string | null;
}

/**
 * Notes that the units of orders were taken from their lots, order by order. A name that means no order refuses all of
 * them; an order that cannot be picked leaves the others alone.
 */
export async function pickOrders(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	names: readonly string[],
): Promise<readonly PickedOrder[] | Refusal<"order_not_found" | "invalid_input">> {
	const orders = await findEachNamedOrder(db, names);
	if (isRefusal(orders)) return orders;
	const answers = await Promise.all(
		orders.map(({ orderId, token }) => engine.execute({ kind: "pick", orderId, token })),
	);
	return await Promise.all(
		orders.map(({ orderId }, index) => {
			const answer = answers[index];
			const refusal = isRefusal(answer) ? answer.message : null;
			return outcomeOf(db, orderId, !isRefusal(answer) && answer?.picked === true, refusal);
		}),
	);
}

async function outcomeOf(db: Query, orderId: string, picked: boolean, refusal: string | null): Promise<PickedOrder> {
	const { order } = await showOrder(db, orderId);
	const { ref, externalOrderId, status, holdDetail } = order;
	return { orderId, ref, externalOrderId, status, picked, why: picked ? null : (refusal ?? holdDetail) };
}
