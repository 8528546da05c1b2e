import { must } from "../../ground/lib/assert.ts";
import type { OrderInBox, QueuedBox } from "./box-sql.ts";
import type { Links } from "./order-book.ts";
import { orderReply } from "./order-reply.ts";
import { shipmentReply } from "./shipment-reply.ts";
import type { BoxNow, OrderForOperator } from "./show-order.ts";

/* Replies for the operator: the partner's view plus internal details. Pure. */

/** The partner's view of an order, plus its owner and the reasons for a hold or a cancel. */
export const operatorOrderReply = ({ owner, ...record }: OrderForOperator, links: Links) => ({
	...orderReply(record, links),
	hold_detail: record.order.holdDetail,
	cancel_reason: record.order.cancelReason,
	partner: owner.partner,
	key: owner.key,
	key_name: owner.keyName,
});

/** A box after a command on it. */
export function operatorBoxReply({ record, orders }: BoxNow, links: Links) {
	const reply = shipmentReply(record, links);
	return { ...reply, orders: withStatus(reply.orders, orders) };
}

export function queuedBoxReply({ record, serviceLevel, waitingSince, orders }: QueuedBox, links: Links) {
	const reply = shipmentReply(record, links);
	return {
		...reply,
		service_level: serviceLevel,
		waiting_since: waitingSince.toISOString(),
		orders: reply.orders.map((order, index) => {
			const { status, partner, customer, holdReason, holdDetail, note, toPick, pickAgain } = must(
				orders[index],
				"an order in a box",
			);
			return {
				...order,
				status,
				partner,
				customer,
				hold_reason: holdReason,
				hold_detail: holdDetail,
				note,
				to_pick: toPick,
				pick_again: pickAgain,
			};
		}),
	};
}

/** Adds each order's status; both lists are in the same order. */
const withStatus = <T extends object>(named: readonly T[], orders: readonly OrderInBox[]) =>
	named.map((order, index) => ({ ...order, status: must(orders[index], "an order in a box").status }));
