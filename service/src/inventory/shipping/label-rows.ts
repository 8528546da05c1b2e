import type { Rows } from "../../ground/engine/rows.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import type { BookWithOrders } from "../orders/order-book.ts";
import { reachesLabelPlatform, type Shipment } from "../orders/shipment.ts";
import { wantPush } from "./want-push.ts";

/**
 * What a batch did that the label platform is to be told of: boxes that wait, new ones and those that wait again, and
 * boxes that are to stand still or were cancelled. They are noted, and the jobs added, with the last writes of the
 * batch, so that no lock is waited for while jobs are locked. Only where there is a platform.
 */
export const labelRows: Rows<unknown, BookWithOrders, unknown> = { save: () => [], assignNumbers: handOver };

function handOver({ orders }: BookWithOrders): NumberedWrite | null {
	const touched = [...new Set([...orders.newShipments.keys(), ...orders.changedShipments])];
	const [orderIds, stopped] = [toHandOver(touched), toStop(touched)];
	return orderIds.length + stopped.length === 0 ? null : (tx) => wantPush(tx, orderIds, stopped);
}

/** The order that each box goes by which is to stand still, or not to be shipped at all. Pure. */
export const toStop = (boxes: readonly Shipment[]): string[] =>
	boxes
		.filter((box) => reachesLabelPlatform(box) && (box.status === "on_hold" || box.status === "cancelled"))
		.flatMap(({ orderIds: [first] }) => first ?? []);

/** The order that each box goes by which waits without a label. Pure. */
export const toHandOver = (boxes: readonly Shipment[]): string[] =>
	boxes
		.filter((box) => reachesLabelPlatform(box) && box.status === "awaiting_shipment" && box.labelCreatedAt === null)
		.flatMap(({ orderIds: [first] }) => first ?? []);
