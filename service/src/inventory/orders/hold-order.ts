import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";
import { putOnHold } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { namedOrder, ORDER_ALONE } from "./named-order.ts";
import { can, refuseMove } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";

/** Puts an order on hold until somebody has checked it. Its units stay with it. */
export interface HoldOrderCommand {
	readonly kind: "holdOrder";
	readonly orderId: string;
	readonly reason: HoldReason;
	/** For the partner. */
	readonly detail: string | null;
}

type Answer = { readonly orderId: string } | Refusal<"order_not_found" | "wrong_state">;

export const holdOrder: OrderKind<HoldOrderCommand, Answer> = {
	...ORDER_ALONE,
	decide: decideHoldOrder,
};

function decideHoldOrder(book: BookWithOrders, command: HoldOrderCommand): Answer {
	const order = namedOrder(book, command);
	if (isRefusal(order)) return order;
	if (!can("hold", order.status, 0)) return refuseMove("hold", order);
	putOnHold(book, order, command.reason, command.detail);
	return { orderId: order.orderId };
}
