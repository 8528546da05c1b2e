import type { Rows } from "../engine/rows.ts";
import type { BookWithOrders } from "../orders/order-book.ts";
import { reachesLabelPlatform, type Shipment } from "../orders/shipment.ts";
import type { NumberedWrite } from "../pg/epoch.ts";
import { wantPush } from "./want-push.ts";

/**
 * What a batch did that the label platform is to be told of: boxes that wait, new ones and those that wait again. They are noted, and the
 * jobs added, with the last writes of the batch, so that no lock is waited for while jobs are locked. Only where there is a platform.
 */
export const labelRows: Rows<unknown, BookWithOrders, unknown> = { save: () => [], number: handOver };

function handOver({ orders }: BookWithOrders): NumberedWrite | null {
	const orderIds = toHandOver([...orders.touchedShipments]);
	return orderIds.length === 0 ? null : (tx) => wantPush(tx, orderIds);
}

/** The order that each box goes by which waits without a label. Pure. */
export const toHandOver = (boxes: readonly Shipment[]): string[] =>
	boxes
		.filter((box) => reachesLabelPlatform(box) && box.status === "awaiting_shipment" && box.labelCreatedAt === null)
		.flatMap(({ orderIds: [first] }) => first ?? []);
