import type { OrderInBox, QueuedBox } from "./box-sql.ts";
import type { Links } from "./order-book.ts";
import { orderReply } from "./order-reply.ts";
import { shipmentReply } from "./shipment-reply.ts";
import type { BoxNow, OrderForOperator } from "./show-order.ts";

/* What the operator is shown of orders and boxes: what partners are shown, and what only the operator needs. Pure. */

/** An order: as its partner has it, with whose it is and what was said when it was put on hold or cancelled. */
export const operatorOrderReply = ({ owner, ...record }: OrderForOperator, links: Links) => ({
	...orderReply(record, links),
	hold_detail: record.order.holdDetail,
	cancel_reason: record.order.cancelReason,
	partner: owner.partner,
	key: owner.key,
	key_name: owner.keyName,
});
export type OperatorOrderReply = ReturnType<typeof operatorOrderReply>;

/** A box after something was done with it. */
export function operatorBoxReply({ record, orders }: BoxNow, links: Links) {
	const reply = shipmentReply(record, links);
	return { ...reply, orders: withStatus(reply.orders, orders) };
}
export type OperatorBoxReply = ReturnType<typeof operatorBoxReply>;

/** A box that waits. */
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

/** Both lists are in the order of the box. */
const withStatus = <T extends object>(named: readonly T[], orders: readonly OrderInBox[]) =>
	named.map((order, index) => ({ ...order, status: orders[index]?.status ?? null }));
