import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { emit } from "../../partners/webhooks/emit.ts";
import { eventOf, type Party } from "../../partners/webhooks/event.ts";
import { moveParts } from "../holds/end-hold.ts";
import type { Origin } from "../stock/move.ts";
import {
	changeOrder,
	changeShipment,
	factsOf,
	holdOf,
	mayBeInBox,
	pickAnew,
	refreshBox,
	shippedUnits,
	unpickParcels,
	waitingBox,
} from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { type NamedOrder, namedOrder, ONE_ORDER } from "./named-order.ts";
import { can, type Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";

/** Cancels an order that has not been picked, for the partner or the operator. */
export interface CancelCommand extends NamedOrder {
	readonly kind: "cancel";
	readonly origin: Origin;
	/** In words, for the operator and for the partner. */
	readonly reason: string | null;
}

export interface Cancelled {
	readonly orderId: string;
	/** Whether the order had been cancelled before the command. */
	readonly already: boolean;
}

type Answer = Cancelled | Refusal<"order_not_found" | "order_not_cancellable">;

export const cancel: OrderKind<CancelCommand, Answer> = {
	...ONE_ORDER,
	decide: decideCancel,
};

/** Returns the order's units to the lots they came from. The hold stays placed, so that it cannot be used again. */
function decideCancel(book: BookWithOrders, command: CancelCommand): Answer {
	const order = namedOrder(book, command);
	if (isRefusal(order)) return order;
	const { orderId } = order;
	if (order.status === "cancelled") return { orderId, already: true };
	const hold = holdOf(book, order);
	const shipped = shippedUnits(hold);
	if (!can("cancel", order.status, shipped)) return refuseCancel(order, shipped);
	const why = { cause: "cancel", causeId: order.reservationToken, origin: command.origin };
	moveParts(book, hold, "allocated", "freed", why);
	book.holds.changeHold(hold); // its parts now have their own states
	unpickParcels(book, order);
	leaveBox(book, order);
	order.status = "cancelled";
	order.cancelledAt = book.now;
	order.cancelReason = command.reason;
	order.heldAt = null;
	order.holdReason = null;
	order.holdDetail = null;
	changeOrder(book, order);
	const data = { ...factsOf(order), by: partyOf(command.origin), detail: command.reason };
	emit(book, eventOf("order.cancelled", order, data, book.now));
	return { orderId, already: false };
}

const partyOf = ({ actor }: Origin): Party => (actor.startsWith("key:") ? "partner" : "manufacturer");

function refuseCancel({ status }: Order, shipped: number): Refusal<"order_not_cancellable"> {
	const state = shipped > 0 && status === "held" ? "partially_shipped" : status;
	return refuse(
		"order_not_cancellable",
		`This order is ${state.replace("_", " ")} and can no longer be cancelled: it needs a return authorization.`,
	);
}

/**
 * Removes the order from its box; a box without another order is cancelled with it. If its units may be in the box, the
 * others must be picked again, so that the box is unpacked before it leaves.
 */
function leaveBox(book: BookWithOrders, order: Order): void {
	const box = waitingBox(book, order);
	if (!box) return;
	const others = box.orderIds.filter((orderId) => orderId !== order.orderId);
	if (others.length === 0) {
		box.status = "cancelled";
		box.items = [];
		changeShipment(book, box);
		return;
	}
	const left = others.map((orderId) =>
		must(book.orders.byId.get(orderId), `order ${orderId} in box ${box.shipmentId}`),
	);
	if (mayBeInBox(book, order)) for (const other of left) pickAnew(book, other);
	order.shipmentIds = order.shipmentIds.filter((id) => id !== box.shipmentId);
	box.orderIds = others;
	refreshBox(book, must(left[0], "an order left in the box"));
}
