import type { Requester } from "../../ground/engine/steps.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { findOrder } from "../../inventory/orders/find-order.ts";
import type { NamedOrder } from "../../inventory/orders/named-order.ts";
import { refuseMove } from "../../inventory/orders/order.ts";
import type { OrderRecord } from "../../inventory/orders/order-record.ts";
import { showOrder } from "../../inventory/orders/show-order.ts";
import type { Origin } from "../../inventory/stock/move.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { AdvanceDeps } from "./advance-due-boxes.ts";
import { selectBoxOf } from "./box-sql.ts";
import { holdInBox, moveBoxOut, pickInBox } from "./move-box.ts";

/** Goals to which a partner can advance an order immediately (settlements, section 10). */
export type OrderGoal = "picked" | "shipped" | "held";

export interface OrderAdvance {
	/** The order's id, or its Idempotency-Key. */
	readonly ref: string;
	readonly to: OrderGoal;
	readonly origin: Origin;
}

type Answer = OrderRecord | Refusal<"order_not_found" | "wrong_state" | "rate_limited" | "unauthorized">;

export const NO_ORDER_OF_KEY = refuse(
	"order_not_found",
	"This key has no order with this order_id or Idempotency-Key.",
);

/** Advances an order of the calling key immediately, together with the others in its box unless the goal is `held`. */
export async function advanceOrder(
	deps: AdvanceDeps,
	caller: Caller,
	{ ref, to, origin }: OrderAdvance,
	requester: Requester,
): Promise<Answer> {
	const found = await findOrder(deps.readDb, caller, ref);
	// another key's order gets the same answer as one that does not exist
	if (isRefusal(found)) return NO_ORDER_OF_KEY;
	const answer = await moveTo(deps, found, to, origin, requester);
	return isRefusal(answer) ? answer : await showOrder(deps.readDb, found.orderId);
}

async function moveTo(
	{ engine, readDb }: AdvanceDeps,
	order: NamedOrder,
	to: OrderGoal,
	origin: Origin,
	requester: Requester,
) {
	if (to === "held") return await holdInBox(engine, order, requester);
	const box = (await selectBoxOf(readDb, order.orderId)) ?? [];
	if (to === "picked") {
		const others = box.filter(({ orderId, status }) => orderId !== order.orderId && status === "placed");
		const [own] = await Promise.all([order, ...others].map((one) => pickInBox(engine, one, requester)));
		return own;
	}
	if (box.length === 0) return refuseMove("ship", (await showOrder(readDb, order.orderId)).order);
	const shipped = await moveBoxOut(engine, box, origin, requester);
	if (!isRefusal(shipped)) return shipped;
	const { refusal: code, message, retryAfter } = shipped;
	return code === "retry" || code === "invalid_input"
		? refuse("rate_limited", "The contents of the box changed meanwhile. Nothing was done: send the request again.")
		: refuse(code, message, retryAfter);
}
