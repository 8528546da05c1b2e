import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { isImpaired } from "../holds/hold.ts";
import { outOfDateParts, repickOutOfDate } from "../holds/repick.ts";
import { changeOrder, holdOf, LOT_RECALLED, putOnHold, refreshBox, seenTo, unpick } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { type NamedOrder, namedOrder, needOrder, ONE_ORDER } from "./named-order.ts";
import { canBePicked, type Order, refuseMove } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { isUncheckedAndOld } from "./ship-parts.ts";
import { correctionOf, refuseOtherLots, type TakenLot } from "./taken-lots.ts";

/** Records that the warehouse has taken an order's units from their lots. The order can no longer be cancelled. */
export interface PickCommand extends NamedOrder {
	readonly kind: "pick";
	/** What was taken from the shelf; absent: what the order has now. */
	readonly taken?: readonly TakenLot[];
}

export interface Picked {
	readonly orderId: string;
	/** False: a lot was expired or recalled. If it could not be replaced, the order is on hold. */
	readonly picked: boolean;
	/** What to take from the shelf instead, if its lot was replaced. */
	readonly correction?: string;
}

type Answer = Picked | Refusal<"order_not_found" | "wrong_state">;

export const pick: OrderKind<PickCommand, Answer> = {
	...ONE_ORDER,
	needs(needs, command) {
		needOrder(needs, command);
		needs.linesOf.add(command.token);
	},
	decide: decidePick,
};

function decidePick(book: BookWithOrders, command: PickCommand): Answer {
	const order = namedOrder(book, command);
	if (isRefusal(order)) return order;
	const { orderId } = order;
	const hold = holdOf(book, order);
	const isRestOld = order.status === "partially_shipped" && isUncheckedAndOld(book, order, hold);
	if (!canBePicked(order) && !isRestOld) return refuseMove("pick", order);
	if (isRestOld) order.pickAgain = true; // until it is picked from its new lots
	const isRecalled = outOfDateParts(book, hold).some(({ fgId }) => book.stock.lotsById.get(fgId)?.recalled === true);
	repickOutOfDate(book, hold);
	const isChanged = book.holds.repicked.has(hold);
	seenTo(book, hold);
	if (isImpaired(hold)) {
		refusePicked(book, order, command);
		if (isRecalled) putOnHold(book, order, "lot_recalled", LOT_RECALLED);
		else
			putOnHold(
				book,
				order,
				"out_of_stock",
				"A lot passed its date before it was picked, and there is not enough other stock.",
			);
		return { orderId, picked: false };
	}
	const correction = command.taken === undefined ? null : correctionOf(hold, book.stock.lotsById, command.taken);
	if (correction !== null) {
		if (!isChanged) return refuseOtherLots(order, correction);
		refusePicked(book, order, command);
		changeOrder(book, order);
		refreshBox(book, order);
		return { orderId, picked: false, correction };
	}
	if (order.status === "placed") order.status = "picked"; // otherwise it stays partially shipped
	order.pickAgain = false;
	order.pickedAt = book.now;
	changeOrder(book, order);
	return { orderId, picked: true };
}

/** What was packed, or has just been taken from the shelf, is not what the order has now. */
function refusePicked(book: BookWithOrders, order: Order, { taken }: PickCommand): void {
	unpick(book, order);
	if (taken !== undefined) order.pickAgain = true;
}
