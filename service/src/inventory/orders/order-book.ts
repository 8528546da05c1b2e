import type { BookWithEvents } from "../../partners/webhooks/emit.ts";
import { type BookWithHolds, refKey } from "../holds/hold-book.ts";
import type { Order } from "./order.ts";
import type { Shipment } from "./shipment.ts";

/** Addresses that replies and events name. */
export interface Links {
	/** Where the certificates of a batch can be looked up. */
	verifyUrl(batchNumber: string): string;
	/** Where a parcel can be followed; null: the carrier is not known. */
	trackingUrl(carrierCode: string | null, trackingNumber: string | null): string | null;
}

/** A book of lots, holds, orders and events. */
export interface BookWithOrders extends BookWithHolds, BookWithEvents {
	readonly orders: OrderBook;
	readonly links: Links;
}

/** The orders that a batch's commands name, and the boxes they are in; locked, in this order, after holds. */
export class OrderBook {
	readonly byId = new Map<string, Order>();
	readonly byToken = new Map<string, Order>();
	/** By key and Idempotency-Key, as `refKey` writes them. */
	readonly byRef = new Map<string, Order>();
	readonly shipments = new Map<string, Shipment>();
	/** The partners whose holds were named by keys that they are not of, by token. */
	readonly partnerOf = new Map<string, string>();
	/** Orders that are placed in this batch, and the box that each was placed in. */
	readonly newOrders = new Map<Order, string>();
	/** Orders to which a command did something since they were read, or placed. */
	readonly changedOrders = new Set<Order>();
	/** Boxes that are made in this batch, and the order that each was made for. */
	readonly newShipments = new Map<Shipment, string>();
	/** Boxes to which a command did something since they were read, or made. */
	readonly changedShipments = new Set<Shipment>();

	addOrder(order: Order): void {
		this.byId.set(order.orderId, order);
		this.byToken.set(order.reservationToken, order);
		this.byRef.set(refKey(order.keyId, order.ref), order);
	}

	addShipment(shipment: Shipment): void {
		this.shipments.set(shipment.shipmentId, shipment);
	}

	/** `box`: a new one, in which it waits alone. */
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
