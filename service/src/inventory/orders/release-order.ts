import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { emit } from "../../partners/webhooks/emit.ts";
import { eventOf } from "../../partners/webhooks/event.ts";
import { refill } from "../holds/repick.ts";
import type { Origin } from "../stock/move.ts";
import { addShelves, type Shelves } from "../stock/shelves.ts";
import { changeOrder, factsOf, holdOf, refreshBox, seenTo, shippedUnits } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { type NamedOrder, namedOrder, needOrder, ONE_ORDER } from "./named-order.ts";
import { can, nameOfOrder, type Order, refuseMove, statusBeforeShipping } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Contents } from "./order-record.ts";

/** Releases an order once its problem is solved. Lost units are picked again if there are enough of them by now. */
export interface ReleaseOrderCommand extends NamedOrder {
	readonly kind: "releaseOrder";
	readonly origin: Origin;
	/** Shelves from which units for its lines are picked, looked up beforehand because lines never change. */
	readonly shelves: Shelves;
}

type Answer = { readonly orderId: string } | Refusal<"order_not_found" | "wrong_state">;

export const releaseOrder: OrderKind<ReleaseOrderCommand, Answer> = {
	...ONE_ORDER,
	needs(needs, command) {
		needOrder(needs, command);
		needs.linesOf.add(command.token);
		for (const [formulaId, pools] of command.shelves) addShelves(needs.shelves, formulaId, pools);
	},
	decide: decideReleaseOrder,
};

function decideReleaseOrder(book: BookWithOrders, command: ReleaseOrderCommand): Answer {
	const order = namedOrder(book, command);
	if (isRefusal(order)) return order;
	if (!can("release", order.status, 0)) return refuseMove("release", order);
	const hold = holdOf(book, order);
	if (!refill(book, hold, command.origin)) {
		return refuse(
			"wrong_state",
			`Order ${nameOfOrder(order)} lost units that are not in stock yet: receive stock and release it then, or cancel it.`,
		);
	}
	seenTo(book, hold);
	takeOffHold(book, order);
	return { orderId: order.orderId };
}

/** Returns the order to its status before the hold, and emits the event. */
export function takeOffHold(book: BookWithOrders, order: Order): void {
	order.status = statusBeforeShipping(shippedUnits(holdOf(book, order)), null);
	order.heldAt = null;
	order.holdReason = null;
	order.holdDetail = null;
	changeOrder(book, order);
	refreshBox(book, order);
	emit(book, eventOf("order.released", order, factsOf(order), book.now));
}

/** Shelves from which units for the lines of an order are picked. Lines never change, so this needs no lock. */
export function shelvesOf({ lines }: Contents): Shelves {
	const shelves: Shelves = new Map();
	for (const { pools, components } of lines) {
		for (const { formula_id } of components) addShelves(shelves, formula_id, pools);
	}
	return shelves;
}
