import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { changeOrder, changeShipment, waitingBox } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { namedOrder } from "./named-order.ts";
import { nameOfOrder, type Order, type ShipTo, shipToOf } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Shipment } from "./shipment.ts";

export interface CombineCommand {
	readonly kind: "combine";
	/** At least two different orders of one key; the box of the first is used. */
	readonly orderIds: readonly string[];
}

export interface Combined {
	readonly shipmentId: string;
	/** Whether these orders already shared this box before the command. */
	readonly already: boolean;
}

type Answer = Combined | Refusal<"order_not_found" | "wrong_state" | "invalid_input">;

export const combine: OrderKind<CombineCommand, Answer> = {
	looksUp: false,
	needs({ orderIds }, command) {
		for (const orderId of command.orderIds) orderIds.add(orderId);
	},
	decide: decideCombine,
	weigh: ({ orderIds }) => orderIds.length,
	identities: ({ orderIds }) => orderIds,
};

/** Settlements, section 7. Each order keeps its own status and its own event. */
function decideCombine(book: BookWithOrders, command: CombineCommand): Answer {
	const orders: Order[] = [];
	for (const orderId of command.orderIds) {
		const order = namedOrder(book, { orderId });
		if (isRefusal(order)) return order;
		orders.push(order);
	}
	const first = must(orders[0], "an order to be combined");
	const together = sharedBox(book, orders);
	if (together) return { shipmentId: together.shipmentId, already: true };
	for (const order of orders) {
		const refusal = refuseToCombine(book, first, order);
		if (refusal) return refusal;
	}
	const box = must(waitingBox(book, first), `the box of order ${first.orderId}`);
	for (const order of orders.slice(1)) moveInto(book, box, order);
	box.orderIds = orders.map(({ orderId }) => orderId);
	changeShipment(book, box);
	changeOrder(book, first);
	return { shipmentId: box.shipmentId, already: false };
}

/** The box with exactly these orders, even if it has shipped since. */
function sharedBox(book: BookWithOrders, orders: readonly Order[]): Shipment | undefined {
	const ids = new Set(orders.map(({ orderId }) => orderId));
	return [...book.orders.shipments.values()].find(
		({ orderIds, status }) =>
			status !== "voided" && orderIds.length === ids.size && orderIds.every((orderId) => ids.has(orderId)),
	);
}

function refuseToCombine(
	book: BookWithOrders,
	first: Order,
	order: Order,
): Refusal<"wrong_state" | "invalid_input"> | undefined {
	const { orderId, status, serviceLevel, customer } = order;
	const [name, firstName] = [nameOfOrder(order), nameOfOrder(first)];
	if (status !== "placed")
		return refuse("wrong_state", `Order ${name} is ${status}: only orders that are placed can be combined.`);
	const box = must(waitingBox(book, order), `the box of order ${orderId}`);
	if (box.orderIds.length > 1) return refuse("wrong_state", `Order ${name} is already in a box with others.`);
	if (box.labelCreatedAt !== null) return refuse("wrong_state", `The box of order ${name} has its label already.`);
	if (order.keyId !== first.keyId)
		return refuse("invalid_input", `/order_refs: order ${name} was placed by a different key than order ${firstName}.`);
	if (order.poolId !== first.poolId) {
		return refuse("invalid_input", `/order_refs: order ${name} is of a different brand than order ${firstName}.`);
	}
	if (serviceLevel !== first.serviceLevel) {
		return refuse(
			"invalid_input",
			`/order_refs: order ${name} is ${serviceLevel} and order ${firstName} ${first.serviceLevel}.`,
		);
	}
	if (!isSameAddress(shipToOf(customer), shipToOf(first.customer))) {
		return refuse(
			"invalid_input",
			`/order_refs: order ${name} goes to a different receiver or address than order ${firstName}.`,
		);
	}
	return undefined;
}

/** Moves an order, perhaps packed, out of its own box, which is cancelled. */
function moveInto(book: BookWithOrders, box: Shipment, order: Order): void {
	const own = must(waitingBox(book, order), `the box of order ${order.orderId}`);
	own.status = "cancelled";
	own.items = [];
	box.labelVoidedAt ??= own.labelVoidedAt;
	changeShipment(book, own);
	order.shipmentIds = [...order.shipmentIds.filter((id) => id !== own.shipmentId), box.shipmentId];
	changeOrder(book, order);
}

const FIELDS = ["name", "company", "line1", "line2", "city", "state", "postal_code", "country"] as const;

/** Ignores case and repeated white space, and uses Unicode's composed form (settlements, section 7). */
const plain = (text: string | undefined): string =>
	(text ?? "").normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase();

/** Whether a parcel to one address would reach the receiver at the other; both as on the parcel (`shipToOf`). */
export const isSameAddress = (a: ShipTo, b: ShipTo): boolean =>
	FIELDS.every((field) => plain(a[field]) === plain(b[field]));
