import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { changeOrder, changeShipment, holdOf, refreshBox, shippedUnits, waitingBox } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { isSameSet, type NamedOrder, namedOrder, needOrder, ORDERS_IN_BOX } from "./named-order.ts";
import { mustBePickedAgain, nameOfOrder, type Order, statusBeforeShipping } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { newBox } from "./place.ts";
import { unshipItems } from "./ship-parts.ts";
import { isWaiting, type Shipment } from "./shipment.ts";
import { parcelOf, tellVoided } from "./tell-of-box.ts";

/** Voids a label or a recorded shipment, because the parcel never left. */
export interface VoidShipmentCommand {
	readonly kind: "voidShipment";
	readonly origin: Origin;
	readonly shipmentId: string;
	/** Every order in it, each with the id of a new waiting box in case the order has none. */
	readonly orders: readonly (NamedOrder & { readonly newShipmentId: string })[];
	/** The lots in it. The contents of a shipped box never change. */
	readonly fgIds: readonly string[];
}

export interface Voided {
	readonly shipmentId: string;
	readonly orderIds: readonly string[];
}

type Answer = Voided | Refusal<"order_not_found" | "wrong_state" | "retry">;

export const voidShipment: OrderKind<VoidShipmentCommand, Answer> = {
	...ORDERS_IN_BOX,
	needs(needs, { orders, fgIds }) {
		for (const order of orders) {
			needOrder(needs, order);
			needs.linesOf.add(order.token); // if a lot was recalled meanwhile, its order lacks the returned units
		}
		for (const fgId of fgIds) needs.fgIds.add(fgId);
	},
	decide: decideVoid,
};

/** If there is only a label, it is removed and the box waits for another; shipped units go back to their orders. */
function decideVoid(book: BookWithOrders, command: VoidShipmentCommand): Answer {
	const orders: Order[] = [];
	for (const named of command.orders) {
		const order = namedOrder(book, named);
		if (isRefusal(order)) return order;
		orders.push(order);
	}
	const shipment = book.orders.shipments.get(command.shipmentId);
	const [first] = orders;
	// the lots of a box that was shipped since it was read are not locked
	const isLocked = shipment?.items?.every(({ lots }) => lots.every(({ fg_id }) => book.stock.lotsById.has(fg_id)));
	if (!shipment || !first || !isSameSet(shipment.orderIds, orders) || isLocked === false) {
		return refuse("retry", `${boxOf(orders)} has changed contents: check it again, then void it.`);
	}
	const parcel = parcelOf(book, shipment);
	if (isWaiting(shipment) && shipment.labelCreatedAt !== null) {
		forgetLabel(book, shipment, first);
		tellVoided(book, shipment, parcel);
		return { shipmentId: shipment.shipmentId, orderIds: shipment.orderIds };
	}
	if (shipment.status !== "shipped") {
		return refuse("wrong_state", `${boxOf(orders)} is ${shipment.status}: there is nothing to void.`);
	}
	const erased = orders.find(({ customerErasedAt }) => customerErasedAt !== null);
	if (erased) return refuse("wrong_state", erasedMessage(erased));
	shipment.status = "voided";
	shipment.voidedAt = book.now;
	changeShipment(book, shipment);
	for (const [index, order] of orders.entries()) {
		takeBack(book, order, shipment, must(command.orders[index], "a named order").newShipmentId, command.origin);
	}
	tellVoided(book, shipment, parcel);
	return { shipmentId: shipment.shipmentId, orderIds: shipment.orderIds };
}

/** What people call a box: by its orders. */
const boxOf = (orders: readonly Order[]): string =>
	`The box of ${orders.length === 1 ? "order" : "orders"} ${orders.map(nameOfOrder).join(", ")}`;

/** Without an address an order cannot wait for another parcel. */
const erasedMessage = (order: Order): string =>
	`The customer's data of order ${nameOfOrder(order)} was erased, so it cannot be shipped again: its shipment cannot be voided.`;

function forgetLabel(book: BookWithOrders, shipment: Shipment, first: Order): void {
	shipment.carrierCode = null;
	shipment.serviceCode = null;
	shipment.trackingNumber = null;
	shipment.labelCreatedAt = null;
	shipment.labelVoidedAt = book.now;
	refreshBox(book, first);
}

function takeBack(book: BookWithOrders, order: Order, shipment: Shipment, boxId: string, origin: Origin): void {
	const hold = holdOf(book, order);
	const items = (shipment.items ?? []).filter(({ order_id }) => order_id === order.orderId);
	unshipItems(book, hold, items, { cause: "void", causeId: order.reservationToken, origin });
	book.holds.changeHold(hold); // its parts follow it again
	if (order.status !== "held") {
		order.status = statusBeforeShipping(shippedUnits(hold), mustBePickedAgain(order) ? null : order.pickedAt);
	}
	order.shippedAt = null;
	const waiting = waitingBox(book, order);
	if (!waiting) {
		const box = newBox(book, order, boxId);
		book.orders.addNewShipment(box, order);
		order.shipmentIds = [...order.shipmentIds, boxId];
	} else refreshBox(book, order);
	changeOrder(book, order);
}
