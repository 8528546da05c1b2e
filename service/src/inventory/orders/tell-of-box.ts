import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { emit } from "../../partners/webhooks/emit.ts";
import { type ShipmentFacts, shipmentEvent } from "../../partners/webhooks/event.ts";
import { factsOf } from "./change.ts";
import type { Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Shipment } from "./shipment.ts";

/** The parcel of a box, as events show it. */
export const parcelOf = ({ links }: BookWithOrders, shipment: Shipment): ShipmentFacts => ({
	shipment_id: shipment.shipmentId,
	carrier_code: shipment.carrierCode,
	service_code: shipment.serviceCode,
	tracking_number: shipment.trackingNumber,
	tracking_url: links.trackingUrl(shipment.carrierCode, shipment.trackingNumber),
	combined_order_ids: shipment.orderIds.length > 1 ? shipment.orderIds : [],
});

/** Tells the partner of each order in a box that it has a label. Call it when the box has changed. */
export function tellLabelled(book: BookWithOrders, box: Shipment): void {
	const shipment = { ...parcelOf(book, box), label_created_at: toRfc3339(book.now) };
	for (const [place, order] of ordersIn(book, box)) {
		const data = { ...factsOf(order), shipment };
		emit(book, shipmentEvent("shipment.label_created", order, data, { version: box.version, place }, book.now));
	}
}

/** Reports that a label no longer counts. Call it when the box and its orders have changed. `parcel`: as it was. */
export function tellVoided(book: BookWithOrders, box: Shipment, parcel: ShipmentFacts): void {
	const shipment = { ...parcel, voided_at: toRfc3339(book.now) };
	for (const [place, order] of ordersIn(book, box)) {
		const data = { ...factsOf(order), shipment };
		emit(book, shipmentEvent("shipment.voided", order, data, { version: box.version, place }, book.now));
	}
}

const ordersIn = ({ orders }: BookWithOrders, { shipmentId, orderIds }: Shipment): (readonly [number, Order])[] =>
	orderIds.map((id, place) => [place, must(orders.byId.get(id), `order ${id} in box ${shipmentId}`)]);
