import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { listWrites } from "../../partners/admin/list-writes.ts";
import { listEventsOfOrder } from "../../partners/webhooks/list-events-of-order.ts";
import { findNamedOrder } from "./find-order.ts";
import { lotsToChangeReply, operatorOrderReply } from "./operator-reply.ts";
import { selectLotChanges } from "./operator-sql.ts";
import type { Links } from "./order-book.ts";
import { orderForOperator } from "./show-order.ts";
import { timelineOf } from "./timeline.ts";

/** An order with its timeline, as operators read it. */
export async function readOrder(db: Query, links: Links, orderId: string) {
	const order = await orderForOperator(db, orderId);
	const audited = await listWrites(db, [orderId, ...order.order.shipmentIds]);
	const events = await listEventsOfOrder(db, orderId);
	const changes = await selectLotChanges(db, order.order.reservationToken);
	return {
		...operatorOrderReply(order, links),
		...lotsToChangeReply(order, changes),
		timeline: timelineOf(order, audited, events, changes),
	};
}

/** The same of the order that a path names. */
export async function readNamedOrder(db: Query, links: Links, { id }: { readonly id: string }) {
	const found = await findNamedOrder(db, id);
	return isRefusal(found) ? found : await readOrder(db, links, found.orderId);
}
