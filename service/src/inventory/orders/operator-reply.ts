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
export type OperatorOrderReply = ReturnType<typeof operatorOrderReply>;

/** A box after a command on it. */
export function operatorBoxReply({ record, orders }: BoxNow, links: Links) {
	const reply = shipmentReply(record, links);
	return { ...reply, orders: withStatus(reply.orders, orders) };
}
export type OperatorBoxReply = ReturnType<typeof operatorBoxReply>;

export function queuedBoxReply({ record, serviceLevel, waitingSince, orders }: QueuedBox, links: Links) {
	const reply = shipmentReply(record, links);
	return {
		...reply,
		service_level: serviceLevel,
		waiting_since: waitingSince.toISOString(),
		orders: withStatus(reply.orders, orders).map((order, index) => ({
			...order,
			customer: orders[index]?.customer ?? null,
			hold_reason: orders[index]?.holdReason ?? null,
			hold_detail: orders[index]?.holdDetail ?? null,
			note: orders[index]?.note ?? null,
			to_pick: orders[index]?.toPick ?? false,
		})),
	};
}
export type QueuedBoxReply = ReturnType<typeof queuedBoxReply>;

/** Adds each order's status; both lists are in the same order. */
const withStatus = <T extends object>(named: readonly T[], orders: readonly OrderInBox[]) =>
	named.map((order, index) => ({ ...order, status: orders[index]?.status ?? null }));
