import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { listWrites } from "../../partners/admin/list-writes.ts";
import { listEventsOfOrder } from "../../partners/webhooks/list-events-of-order.ts";
import { findNamedOrder } from "./find-order.ts";
import { operatorOrderReply } from "./operator-reply.ts";
import type { Links } from "./order-book.ts";
import { orderForOperator } from "./show-order.ts";
import { timelineOf } from "./timeline.ts";

/** An order with its timeline, as operators read it. */
export async function readOrder(db: Query, links: Links, orderId: string) {
	const order = await orderForOperator(db, orderId);
	const audited = await listWrites(db, [orderId, ...order.order.shipmentIds]);
	const events = await listEventsOfOrder(db, orderId);
	return { ...operatorOrderReply(order, links), timeline: timelineOf(order, audited, events) };
}

/** The same of the order that a path names. */
export async function readNamedOrder(db: Query, links: Links, { id }: { readonly id: string }) {
	const found = await findNamedOrder(db, id);
	return isRefusal(found) ? found : await readOrder(db, links, found.orderId);
}
