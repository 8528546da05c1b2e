import { type BookWithHolds, refKey } from "../holds/hold-book.ts";
import type { BookWithEvents } from "../webhooks/emit.ts";
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
	readonly newOrders = new Set<Order>();
	readonly changedOrders = new Set<Order>();
	readonly newShipments = new Set<Shipment>();
	/** New and changed ones. */
	readonly touchedShipments = new Set<Shipment>();

	addOrder(order: Order): void {
		this.byId.set(order.orderId, order);
		this.byToken.set(order.token, order);
		this.byRef.set(refKey(order.keyId, order.ref), order);
	}

	addShipment(shipment: Shipment): void {
		this.shipments.set(shipment.shipmentId, shipment);
	}

	addNewShipment(shipment: Shipment): void {
		this.addShipment(shipment);
		this.newShipments.add(shipment);
		this.touchedShipments.add(shipment);
	}
}
