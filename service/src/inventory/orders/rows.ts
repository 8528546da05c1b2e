import type { Rows } from "../../ground/engine/rows.ts";
import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { isImpaired } from "../holds/hold.ts";
import { refKey } from "../holds/hold-book.ts";
import type { MoreStock } from "../stock/needs.ts";
import { changeOrder, LOT_RECALLED, putOnHold, refreshBox, unpick } from "./change.ts";
import type { OrderNeeds } from "./needs.ts";
import { isOpen, type Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { takeOffHold } from "./release-order.ts";
import { isInWarehouse } from "./shipment.ts";
import {
	lockOrders,
	lockShipments,
	orderReader,
	saveOrders,
	selectBlockedNumbers,
	selectBlockedOrders,
	selectTokensOfPartners,
	shipmentReader,
} from "./sql.ts";

/** Orders that are kept locked by another transaction, or whose box is. */
export interface LockedOrders {
	readonly orderIds: Set<string>;
	/** Idempotency-Keys, as formatted by `refKey`. */
	readonly orderRefs: Set<string>;
	readonly orderTokens: Set<string>;
	/** Whether the numbers of the lists of boxes or events are kept locked. */
	numbers: boolean;
}

/** Orders, and after them their boxes. */
export const orderRows: Rows<OrderNeeds, BookWithOrders, LockedOrders> = {
	async lock(tx, needs) {
		if (!namesOrders(needs)) return () => undefined;
		const [orders, shipments] = await Promise.all([
			lockOrders(tx, needs),
			namesBoxes(needs) ? lockShipments(tx, needs) : [],
		]);
		return (book) => {
			for (const row of orders) book.orders.addOrder(orderReader.decode(row));
			for (const row of shipments) book.orders.addShipment(shipmentReader.decode(row));
		};
	},
	loadDependents(tx, book, needs) {
		if (namesBoxes(needs)) lockWholeBoxes(book, needs);
		const unknown = needs.placing.filter(({ token }) => !book.holds.byToken.has(token));
		if (unknown.length === 0) return null;
		return selectTokensOfPartners(tx, unknown).then((rows) => {
			for (const [token, partnerId] of rows) book.orders.partnerOf.set(token, partnerId);
		});
	},
	propagate(book) {
		const { repicked } = book.holds;
		if (repicked.size === 0) return;
		for (const hold of repicked) {
			const order = book.orders.byToken.get(hold.reservationToken);
			if (!order || !isOpen(order.status)) continue;
			unpick(book, order);
			const impaired = isImpaired(hold);
			if (!impaired && isHeldForUnits(order)) takeOffHold(book, order);
			else if (!impaired || order.status === "held") noteRepicked(book, order);
			else putOnHold(book, order, "lot_recalled", LOT_RECALLED);
		}
		repicked.clear();
	},
	saveNumbered: saveOrders,
	async findLocked(tx, needs, locked) {
		const rows = namesOrders(needs) ? await selectBlockedOrders(tx, needs) : [];
		for (const [orderId, keyId, ref, token] of rows) {
			locked.orderIds.add(orderId);
			locked.orderTokens.add(token);
			locked.orderRefs.add(refKey(keyId, ref));
		}
		locked.numbers = mayNumber(needs) && (await selectBlockedNumbers(tx, [])).length > 0;
		return rows.length > 0 || locked.numbers;
	},
	conflictsWith: (needs, locked) => (locked.numbers && mayNumber(needs)) || namesLocked(needs, locked),
};

const namesLocked = ({ orderIds, orderRefs, ordersOf }: OrderNeeds, locked: LockedOrders): boolean =>
	[...orderIds].some((orderId) => locked.orderIds.has(orderId)) ||
	[...ordersOf].some((token) => locked.orderTokens.has(token)) ||
	orderRefs.some(({ keyId, ref }) => locked.orderRefs.has(refKey(keyId, ref)));

/** Whether a command may change orders or boxes, or tell a partner about them: not one on a hold alone. */
const mayNumber = ({ orderIds, orderRefs, placing, fgIds }: OrderNeeds): boolean =>
	orderIds.size + orderRefs.length + placing.length + fgIds.size > 0;

const namesBoxes = ({ orderIds, ordersOf }: OrderNeeds): boolean => orderIds.size + ordersOf.size > 0;
const namesOrders = (needs: OrderNeeds): boolean => namesBoxes(needs) || needs.orderRefs.length > 0;

/** Whether it is on hold for units that it lost by a recall; an operator may give the same reason for another hold. */
const isHeldForUnits = ({ holdReason, holdDetail }: Order): boolean =>
	holdReason === "lot_recalled" && holdDetail === LOT_RECALLED;

/** Called when the order's lots have changed: sets it back from picked to placed and refreshes its box. */
function noteRepicked(book: BookWithOrders, order: Order): void {
	if (order.status === "picked") order.status = "placed";
	changeOrder(book, order);
	refreshBox(book, order);
}

/**
 * Restarts the batch if a box, or an order in it, is not locked because orders joined or left boxes while the batch
 * waited for its locks. Orders found only by Idempotency-Key need no box. @throws NeedsMoreLocks
 */
function lockWholeBoxes({ orders, stock }: BookWithOrders, { orderIds, ordersOf }: OrderNeeds): void {
	const isWhole = ({ shipmentIds }: Order): boolean => shipmentIds.every((id) => orders.shipments.has(id));
	const inBoxes = new Set<string>();
	for (const order of orders.byId.values()) {
		if (!orderIds.has(order.orderId) && !ordersOf.has(order.reservationToken)) continue;
		for (const id of order.shipmentIds) {
			const shipment = orders.shipments.get(id);
			if (shipment && isInWarehouse(shipment)) for (const orderId of shipment.orderIds) inBoxes.add(orderId);
		}
		inBoxes.add(order.orderId);
	}
	for (const orderId of inBoxes) {
		const order = orders.byId.get(orderId);
		if (order && isWhole(order)) continue;
		throw new NeedsMoreLocks<MoreStock>({ shelves: stock.locked.shelves, fgIds: stock.locked.fgIds });
	}
}
