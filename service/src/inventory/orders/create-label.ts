import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { refreshBox, waitingBox } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { namedOrder, ORDER_ALONE } from "./named-order.ts";
import { nameOfOrder, refuseMove } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Shipment } from "./shipment.ts";
import { tellLabelled } from "./tell-of-box.ts";

/** Records the label of a box that is packed but has not left. */
export interface CreateLabelCommand {
	readonly kind: "createLabel";
	/** One of the orders in the box. */
	readonly orderId: string;
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
	readonly trackingNumber: string;
}

type Answer = { readonly shipmentId: string } | Refusal<"order_not_found" | "wrong_state">;

export const createLabel: OrderKind<CreateLabelCommand, Answer> = {
	...ORDER_ALONE,
	decide: decideCreateLabel,
};

function decideCreateLabel(book: BookWithOrders, command: CreateLabelCommand): Answer {
	const order = namedOrder(book, command);
	if (isRefusal(order)) return order;
	const box = waitingBox(book, order);
	if (!box) return refuseMove("ship", order);
	if (box.status === "on_hold") {
		return refuse("wrong_state", `The box of order ${nameOfOrder(order)} is on hold: release its orders first.`);
	}
	const isNew = !hasLabel(box, command);
	box.carrierCode = command.carrierCode;
	box.serviceCode = command.serviceCode;
	box.trackingNumber = command.trackingNumber;
	box.labelCreatedAt = book.now;
	refreshBox(book, order);
	if (isNew) tellLabelled(book, box);
	return { shipmentId: box.shipmentId };
}

/** Whether the box has just this label already: then its partner has been told. */
const hasLabel = (box: Shipment, { carrierCode, serviceCode, trackingNumber }: CreateLabelCommand): boolean =>
	box.labelCreatedAt !== null &&
	box.carrierCode === carrierCode &&
	box.serviceCode === serviceCode &&
	box.trackingNumber === trackingNumber;
