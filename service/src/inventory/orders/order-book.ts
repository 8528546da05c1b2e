import type { BookWithEvents } from "../../partners/webhooks/emit.ts";
import { type BookWithHolds, refKey } from "../holds/hold-book.ts";
import type { Order } from "./order.ts";
import type { Shipment } from "./shipment.ts";

export interface Links {
	/** The page on which to look up a batch's certificates. */
	verifyUrl(batchNumber: string): string;
	/** The page on which to track a parcel; null: unknown carrier. */
	trackingUrl(carrierCode: string | null, trackingNumber: string | null): string | null;
}

export interface BookWithOrders extends BookWithHolds, BookWithEvents {
	readonly orders: OrderBook;
	readonly links: Links;
}

/** The orders named by a batch's commands and the boxes they are in, locked in this order after holds. */
export class OrderBook {
	readonly byId = new Map<string, Order>();
	readonly byToken = new Map<string, Order>();
	/** By key and Idempotency-Key, as formatted by `refKey`. */
	readonly byRef = new Map<string, Order>();
	readonly shipments = new Map<string, Shipment>();
	/** Reservation token -> partner of the hold, for holds that a command of another key names. */
	readonly partnerOf = new Map<string, string>();
	/** Orders placed in this batch, with the id of their first box. */
	readonly newOrders = new Map<Order, string>();
	/** Orders changed since they were read or placed. */
	readonly changedOrders = new Set<Order>();
	/** Boxes created in this batch, with the id of their first order. */
	readonly newShipments = new Map<Shipment, string>();
	/** Boxes changed since they were read or created. */
	readonly changedShipments = new Set<Shipment>();

	addOrder(order: Order): void {
		this.byId.set(order.orderId, order);
		this.byToken.set(order.reservationToken, order);
		this.byRef.set(refKey(order.keyId, order.ref), order);
	}

	addShipment(shipment: Shipment): void {
		this.shipments.set(shipment.shipmentId, shipment);
	}

	/** `box`: a new box with only this order. */
	addNewOrder(order: Order, box: Shipment): void {
		this.addOrder(order);
		this.newOrders.set(order, box.shipmentId);
		this.addNewShipment(box, order);
	}

	addNewShipment(shipment: Shipment, { orderId }: Order): void {
		this.addShipment(shipment);
		this.newShipments.set(shipment, orderId);
	}
}
