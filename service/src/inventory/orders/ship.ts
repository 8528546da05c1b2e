import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { emit } from "../../partners/webhooks/emit.ts";
import { eventOf } from "../../partners/webhooks/event.ts";
import { isImpaired, linesOf } from "../holds/hold.ts";
import type { Origin } from "../stock/move.ts";
import { byBatch } from "./by-batch.ts";
import { changeOrder, changeShipment, factsOf, holdOf, refreshBox, waitingBox } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import { isSameSet, type NamedOrder, namedOrder, needOrder, ORDERS_IN_BOX } from "./named-order.ts";
import { can, mustBePickedAgain, nameOfOrder, type Order, refuseMove } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Parcel } from "./parcel.ts";
import { newBox } from "./place.ts";
import { hasRecalled, isUncheckedAndOld, type KitsByLine, kitsLeft, shipKits } from "./ship-parts.ts";
import type { PackedItem, Shipment } from "./shipment.ts";
import { parcelOf } from "./tell-of-box.ts";

/** Ships a box, or part of its contents. */
export interface ShipCommand extends Parcel {
	readonly kind: "ship";
	readonly origin: Origin;
	/** Every order in the box. */
	readonly orders: readonly NamedOrder[];
	/** Kits by SKU to ship only part of the box's only order; null: everything. */
	readonly items: readonly { readonly sku: string; readonly qty: number }[] | null;
	/** The id of an additional box for a partial shipment. */
	readonly newShipmentId: string;
}

export interface Shipped {
	readonly shipmentId: string;
	readonly orderIds: readonly string[];
}

type Answer = Shipped | Refusal<"order_not_found" | "wrong_state" | "invalid_input" | "retry">;

export const ship: OrderKind<ShipCommand, Answer> = {
	...ORDERS_IN_BOX,
	needs(needs, { orders }) {
		for (const order of orders) {
			needOrder(needs, order);
			needs.linesOf.add(order.token);
		}
	},
	decide: decideShip,
};

function decideShip(book: BookWithOrders, command: ShipCommand): Answer {
	const orders: Order[] = [];
	for (const named of command.orders) {
		const order = namedOrder(book, named);
		if (isRefusal(order)) return order;
		if (!can("ship", order.status, 0)) return refuseMove("ship", order);
		orders.push(order);
	}
	const first = must(orders[0], "an order to be shipped");
	const box = must(waitingBox(book, first), `the box of order ${first.orderId}`);
	if (!isSameSet(box.orderIds, orders)) {
		return refuse(
			"retry",
			`The box of order ${nameOfOrder(first)} has changed contents: check the box again, then ship it.`,
		);
	}
	const kits = kitsOf(book, orders, command.items);
	if (isRefusal(kits)) return kits;
	const why = { cause: "ship", origin: command.origin };
	const items = orders.flatMap((order, index) =>
		shipKits(book, holdOf(book, order), order.orderId, must(kits[index], "kits of an order"), {
			...why,
			causeId: order.reservationToken,
		}),
	);
	const shipment = closeBox(
		book,
		box,
		first,
		orders.every((order) => isAllShipped(book, order)),
		command,
	);
	shipment.items = items;
	for (const order of orders) noteShipped(book, order, shipment);
	return { shipmentId: shipment.shipmentId, orderIds: box.orderIds };
}

function kitsOf(
	book: BookWithOrders,
	orders: readonly Order[],
	items: ShipCommand["items"],
): KitsByLine[] | Refusal<"invalid_input" | "wrong_state"> {
	if (items !== null && orders.length > 1) {
		return refuse("invalid_input", "A box with several orders is shipped whole: leave the items out.");
	}
	const kits: KitsByLine[] = [];
	for (const order of orders) {
		const hold = holdOf(book, order);
		if (isImpaired(hold))
			return refuse("wrong_state", `Order ${nameOfOrder(order)} lacks units: put it on hold, or receive stock.`);
		if (hasRecalled(book, hold)) {
			return refuse(
				"wrong_state",
				`Order ${nameOfOrder(order)} contains units of a recalled lot and must not ship. Wait for the recall to finish, or run it again.`,
			);
		}
		if (mustBePickedAgain(order)) {
			return refuse(
				"wrong_state",
				`The lots of order ${nameOfOrder(order)}, or the orders in its box, changed after it was picked or packed: unpack the box and pick it again. A label on the box stays valid.`,
			);
		}
		if (isUncheckedAndOld(book, order, hold)) {
			return refuse(
				"wrong_state",
				`Order ${nameOfOrder(order)} contains units of an expired lot. Pick it again to replace them.`,
			);
		}
		const left = new Map(linesOf(hold).map((_, line) => [line, kitsLeft(hold, line)]));
		const chosen = items === null ? left : chosenKits(order, linesOf(hold), left, items);
		if (isRefusal(chosen)) return chosen;
		kits.push(chosen);
	}
	return kits;
}

/** Distributes kits by SKU over lines; if several lines have a SKU, the first ones are used up first. */
function chosenKits(
	order: Order,
	lines: readonly { readonly sku: string }[],
	left: KitsByLine,
	items: readonly { readonly sku: string; readonly qty: number }[],
): KitsByLine | Refusal<"invalid_input"> {
	const chosen = new Map<number, number>();
	const short: string[] = [];
	for (const { sku, qty } of items) {
		let wanted = qty;
		for (const [line, { sku: lineSku }] of lines.entries()) {
			if (lineSku !== sku) continue;
			const before = chosen.get(line) ?? 0;
			const kits = Math.min(wanted, (left.get(line) ?? 0) - before);
			if (kits > 0) chosen.set(line, before + kits);
			wanted -= kits;
		}
		if (wanted > 0) short.push(`${qty - wanted} of ${JSON.stringify(sku)} left to ship, not ${qty}`);
	}
	if (short.length > 0) return refuse("invalid_input", `Order ${nameOfOrder(order)} has ${short.join("; ")}.`);
	if (chosen.size === 0) {
		return refuse(
			"invalid_input",
			`Name at least one kit of order ${nameOfOrder(order)}, or leave out the items to ship everything.`,
		);
	}
	return chosen;
}

const isAllShipped = (book: BookWithOrders, order: Order): boolean =>
	!holdOf(book, order).parts.some(({ state }) => state === "allocated");

/** Marks the box as shipped. If part of its order stays, a new box is shipped instead and the old one keeps waiting. */
function closeBox(book: BookWithOrders, box: Shipment, first: Order, all: boolean, command: ShipCommand): Shipment {
	const shipment = all ? box : newBox(book, first, command.newShipmentId);
	if (!all) {
		book.orders.addNewShipment(shipment, first);
		first.shipmentIds = [...first.shipmentIds, shipment.shipmentId];
		shipment.version = 0; // `changeShipment` below makes it 1
		// a label under another number is that of the rest
		const numbers = new Set([box.trackingNumber, command.trackingNumber].filter((number) => number !== null));
		if (numbers.size < 2) moveLabel(box, shipment);
		else [shipment.carrierCode, shipment.serviceCode] = [box.carrierCode, box.serviceCode];
		refreshBox(book, first); // the waiting box will contain less
	}
	shipment.status = "shipped";
	shipment.carrierCode = command.carrierCode ?? shipment.carrierCode;
	shipment.serviceCode = command.serviceCode ?? shipment.serviceCode;
	shipment.trackingNumber = command.trackingNumber ?? shipment.trackingNumber;
	shipment.labelCreatedAt ??= shipment.trackingNumber === null ? null : book.now;
	shipment.shippedAt = book.now;
	shipment.shippedBy = command.origin.actor;
	changeShipment(book, shipment);
	return shipment;
}

/** Moves the label to the shipped box; the rest of the order needs another label. */
function moveLabel(from: Shipment, to: Shipment): void {
	for (const name of ["carrierCode", "serviceCode", "trackingNumber"] as const) {
		to[name] = from[name];
		from[name] = null;
	}
	to.labelCreatedAt = from.labelCreatedAt;
	from.labelCreatedAt = null;
}

/** Updates the order's status and emits its event, with the lots. */
function noteShipped(book: BookWithOrders, order: Order, shipment: Shipment): void {
	const final = isAllShipped(book, order);
	order.status = final ? "shipped" : "partially_shipped";
	order.shippedAt = final ? book.now : null;
	changeOrder(book, order);
	const { combined_order_ids, ...parcel } = parcelOf(book, shipment);
	const data = {
		...factsOf(order),
		final,
		shipment: {
			...parcel,
			shipped_at: new Date(book.now).toISOString(),
			items: (shipment.items ?? [])
				.filter(({ order_id }) => order_id === order.orderId)
				.map((item) => eventItem(book, item)),
			combined_order_ids,
		},
	};
	emit(book, eventOf("order.shipped", order, data, book.now));
}

/** Adds up the lots of one formula and batch in several pools, because a label shows only formula and batch. */
function eventItem({ links }: BookWithOrders, { sku, qty, lots }: PackedItem) {
	return {
		sku,
		qty,
		lots: byBatch(lots).map(({ batch_number, units }) => ({
			batch_number,
			units,
			verify_url: links.verifyUrl(batch_number),
		})),
	};
}
