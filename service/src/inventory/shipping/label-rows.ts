import type { Rows } from "../../ground/engine/rows.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import type { BookWithOrders } from "../orders/order-book.ts";
import { reachesLabelPlatform, type Shipment } from "../orders/shipment.ts";
import { wantPush } from "./want-push.ts";

/**
 * Queues the jobs for the platform that a batch requires: new boxes, and boxes that wait again, are pushed; boxes that
 * were put on hold or cancelled are stopped on the platform. They are written with the last writes of the batch, so
 * that the batch awaits no lock while it has jobs locked. Used only with a label platform.
 */
export const labelRows: Rows<unknown, BookWithOrders, unknown> = { saveNumbered: queueJobs };

function queueJobs({ orders }: BookWithOrders): NumberedWrite | null {
	const touched = [...new Set([...orders.newShipments.keys(), ...orders.changedShipments])];
	const [orderIds, stopped] = [toHandOver(touched), toStop(touched)];
	return orderIds.length + stopped.length === 0 ? null : (tx) => wantPush(tx, orderIds, stopped);
}

/** The first order of each box that must be stopped or must not ship. Pure. */
export const toStop = (boxes: readonly Shipment[]): string[] =>
	boxes
		.filter((box) => reachesLabelPlatform(box) && (box.status === "on_hold" || box.status === "cancelled"))
		.flatMap(({ orderIds: [first] }) => first ?? []);

/** Whether the platform is to have the box: it waits without a label. Pure. */
export const isToBeHandedOver = (box: Readonly<Shipment>): boolean =>
	reachesLabelPlatform(box) && box.status === "awaiting_shipment" && box.labelCreatedAt === null;

/** The first order of each such box. Pure. */
export const toHandOver = (boxes: readonly Shipment[]): string[] =>
	boxes.filter(isToBeHandedOver).flatMap(({ orderIds: [first] }) => first ?? []);
