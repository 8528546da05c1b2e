import type { Book } from "../../../service/src/assembly/rows.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { listedAgain } from "../../../service/src/inventory/orders/sql.ts";
import { type ReceiptChange, receiptChanges } from "../../../service/src/inventory/stock/receipt.ts";
import { ALWAYS_RECORDED, type Endpoint } from "../../../service/src/partners/webhooks/endpoint.ts";
import type { PartnerEvent } from "../../../service/src/partners/webhooks/event.ts";
import type { Receipt, Rows } from "./rows.ts";

/** What the service writes at the end of a batch: the changes of a book, with their numbers in lists. */
export function keepBook(rows: Rows, book: Book): void {
	for (const lot of book.stock.newLots) rows.lots.set(lot.fgId, lot);
	keepHolds(rows, book);
	keepOrders(rows, book);
	for (const event of book.events) recordEvent(rows, event, book.now, null);
	for (const change of receiptChanges(book.stock)) keepReceipts(rows, change, book.now);
}

function keepHolds(rows: Rows, { holds, now }: Book): void {
	for (const hold of holds.newHolds) rows.holds.set(hold.reservationToken, hold);
	for (const hold of [...holds.newHolds, ...holds.changedHolds]) {
		const { reservationToken: token } = hold;
		if (hold.status !== "active" && !rows.endedAt.has(token)) rows.endedAt.set(token, now);
	}
}

/** Numbers in the order in which the service's statements take them. */
function keepOrders(rows: Rows, { orders, now }: Book): void {
	const { newOrders, newShipments, changedShipments } = orders;
	for (const order of newOrders.keys()) rows.orders.set(order.orderId, order);
	for (const shipment of newShipments.keys()) rows.shipments.set(shipment.shipmentId, shipment);
	const again = listedAgain(orders);
	for (const { orderId, status } of again) if (status === "held") rows.wereHeld.add(orderId);
	const ids = [
		...[...newOrders.keys(), ...again].map(({ orderId }) => orderId),
		...[...newShipments.keys(), ...changedShipments].map(({ shipmentId }) => shipmentId),
	];
	for (const id of ids) rows.listed.set(id, { number: rows.boxNumbers.take(now), at: now });
}

/**
 * Records an event, and a delivery for each endpoint that chose its type; records nothing if the type must be chosen
 * and no endpoint, active or not, chose it. `only`: a delivery to this endpoint alone, whatever types it chose.
 */
export function recordEvent(rows: Rows, event: PartnerEvent, now: number, only: string | null): void {
	const isChosenBy = ({ eventTypes }: Endpoint): boolean => (eventTypes as readonly string[]).includes(event.type);
	const isAlways = (ALWAYS_RECORDED as readonly string[]).includes(event.type);
	if (!isAlways && ![...rows.endpoints.values()].some(isChosenBy)) return;
	const seq = rows.eventNumbers.take(now);
	rows.events.push({ seq, createdAt: now, event });
	for (const endpoint of rows.endpoints.values()) {
		const { endpointId, inactiveReason } = endpoint;
		if (inactiveReason !== null || (only === null ? !isChosenBy(endpoint) : only !== endpointId)) continue;
		const deliveryId = newId();
		const { eventId, type } = event;
		const pending = { status: "pending", attempts: [], nextAttemptAt: now } as const;
		rows.deliveries.set(deliveryId, { deliveryId, endpointId, eventId, type, ...pending, seq, place: seq });
	}
}

/** Receipts by lot and day: the rule of the service's statement `put_receipts`. */
function keepReceipts(rows: Rows, change: ReceiptChange, now: number): void {
	const { fgId, day, received, corrected, whole, isFirst } = change;
	const own = rows.receipts.filter((one) => one.fgId === fgId);
	const isNew = isFirst || (received > 0 && !own.some(({ receivedOn }) => receivedOn === day));
	const made: Receipt[] = isNew
		? [{ receiptId: newId(), fgId, receivedOn: day, received: 0, corrected: 0, listed: { number: 0, at: 0 } }]
		: [];
	const candidates = [...own, ...made].sort((a, b) => (a.receivedOn < b.receivedOn ? -1 : 1));
	const last = candidates.at(-1);
	for (const one of candidates) {
		const takesReceived = received > 0 && one.receivedOn === day;
		const takesCorrected = corrected !== 0 && one === last;
		if (!whole && !takesReceived && !takesCorrected) continue;
		if (takesReceived) one.received += received;
		if (takesCorrected) one.corrected += corrected;
		one.listed = { number: rows.receiptNumbers.take(now), at: now };
		if (made.includes(one)) rows.receipts.push(one);
	}
}
