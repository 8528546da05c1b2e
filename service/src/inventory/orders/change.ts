import { must } from "../../ground/lib/assert.ts";
import { emit } from "../../partners/webhooks/emit.ts";
import { eventOf, type HoldReason, type OrderFacts } from "../../partners/webhooks/event.ts";
import { type Hold, unitsIn } from "../holds/hold.ts";
import { actionOf, isOpen, type Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { isWaiting, type Shipment } from "./shipment.ts";

/** Records that an order changed; call it once per command, so that each version stands for one change. */
export function changeOrder(book: BookWithOrders, order: Order): void {
	order.version++;
	order.updatedAt = book.now;
	book.orders.changedOrders.add(order);
}

/** Records that a box changed, which makes it appear again in the list of shipments. */
export function changeShipment(book: BookWithOrders, shipment: Shipment): void {
	shipment.version++;
	shipment.modifiedAt = book.now;
	book.orders.changedShipments.add(shipment);
}

/** Marks units picked again as handled by the command itself, so that they cause no further changes. */
export const seenTo = (book: BookWithOrders, hold: Hold): void => void book.holds.repicked.delete(hold);

export const holdOf = (book: BookWithOrders, order: Order): Hold =>
	must(book.holds.byToken.get(order.reservationToken), `the hold of order ${order.orderId}`);

export const shippedUnits = (hold: Hold): number => unitsIn("shipped", hold.parts);

/** The boxes that an order is or was in. */
const boxesOf = ({ orders }: BookWithOrders, { orderId, shipmentIds }: Order): Shipment[] =>
	shipmentIds.map((id) => must(orders.shipments.get(id), `box ${id} of order ${orderId}`));

/** The box in which the rest of an order waits; undefined if nothing is left. */
export const waitingBox = (book: BookWithOrders, order: Order): Shipment | undefined =>
	boxesOf(book, order).find(isWaiting);

/** Sets the box on hold while any of its orders is, and lists it again, as its contents may have changed. */
export function refreshBox(book: BookWithOrders, order: Order): void {
	const box = waitingBox(book, order);
	if (!box) return;
	const held = box.orderIds.some((orderId) => book.orders.byId.get(orderId)?.status === "held");
	box.status = held ? "on_hold" : box.labelCreatedAt === null ? "awaiting_shipment" : "label_created";
	changeShipment(book, box);
}

export const factsOf = (order: Order): OrderFacts => ({
	order_id: order.orderId,
	ref: order.ref,
	external_order_id: order.externalOrderId,
	order_status: order.status,
	order_version: order.version,
});

/** The message to a partner whose order lacks units of a recalled lot. */
export const LOT_RECALLED = "A lot was recalled, and there is not enough other stock.";

/**
 * Whether units of the order may be in a box: it was picked, partly shipped, or packed. It was packed if there is, or
 * was, a label on its box, or if its shipment was voided: then the parcel never left, and is still there.
 */
export const mayBeInBox = (book: BookWithOrders, order: Order): boolean =>
	order.pickedAt !== null ||
	order.status === "partially_shipped" ||
	boxesOf(book, order).some((box) => box.status === "voided" || (isWaiting(box) && wasLabelled(box)));

const wasLabelled = ({ labelCreatedAt, labelVoidedAt }: Shipment): boolean =>
	labelCreatedAt !== null || labelVoidedAt !== null;

/**
 * For an order that lost units: if these may be in a box, it must be picked again, and so must the others in its
 * parcels.
 */
export function unpick(book: BookWithOrders, order: Order): void {
	if (!mayBeInBox(book, order)) return;
	order.pickAgain = true;
	unpickParcels(book, order);
}

/**
 * For an order whose units are no longer its own: the other orders of its voided parcels must be picked again, so that
 * these are unpacked. Whoever was picked since a parcel was voided has no units in it any more.
 */
export function unpickParcels(book: BookWithOrders, order: Order): void {
	for (const { status, orderIds, voidedAt } of boxesOf(book, order)) {
		if (status !== "voided") continue;
		const inParcel = orderIds
			.map((orderId) => must(book.orders.byId.get(orderId), `order ${orderId} of a voided parcel`))
			.filter(({ pickedAt }) => (pickedAt ?? 0) <= (voidedAt ?? 0));
		if (!inParcel.includes(order)) continue;
		for (const other of inParcel) {
			if (other !== order && isOpen(other.status) && !other.pickAgain) pickAnew(book, other);
		}
	}
}

/** Has an order picked again because units of another may be in its box. */
export function pickAnew(book: BookWithOrders, order: Order): void {
	order.pickAgain = true;
	if (order.status === "picked") order.status = "placed";
	changeOrder(book, order);
}

/** Puts an order on hold and emits the event. */
export function putOnHold(book: BookWithOrders, order: Order, reason: HoldReason, detail: string | null): void {
	order.status = "held";
	order.heldAt = book.now;
	order.holdReason = reason;
	order.holdDetail = detail;
	changeOrder(book, order);
	refreshBox(book, order);
	const data = { ...factsOf(order), reason, detail, action: actionOf(reason) };
	emit(book, eventOf("order.held", order, data, book.now));
}
