import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import type { OrderInBox, QueuedBox } from "./box-sql.ts";
import { type LotChange, type LotToChange, lotsToChange } from "./lot-changes.ts";
import { isOpen, mustBePickedAgain } from "./order.ts";
import type { Links } from "./order-book.ts";
import { orderReply } from "./order-reply.ts";
import { isWaiting } from "./shipment.ts";
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

/** What must be taken out of and put into the box of an open order that got other lots after it was packed. */
export function lotsToChangeReply({ order, shipments }: OrderForOperator, changes: readonly LotChange[]) {
	const pick_again = isOpen(order.status) && mustBePickedAgain(order);
	// a label that is younger than every change has replaced the one with which the box was packed
	const labelled = shipments.flatMap(({ shipment: { status, labelCreatedAt: at } }) =>
		isWaiting({ status }) && at !== null && !(pick_again && changes.every((change) => change.at <= at)) ? [at] : [],
	);
	// without a pick and without a label, units are taken from the shelf only for what left
	const since = order.pickedAt ?? labelled[0] ?? (pick_again ? order.placedAt : null);
	if (since === null || !isOpen(order.status)) return { pick_again, take_out: [], put_in: [] };
	const { takeOut, putIn } = lotsToChange(changes, since);
	return { pick_again, take_out: takeOut.map(lotToChangeReply), put_in: putIn.map(lotToChangeReply) };
}

const lotToChangeReply = ({ isRecalled: recalled, ...lot }: LotToChange) => ({ ...asReply(lot), recalled });

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
			const { orderId: _orderId, token: _token, ...more } = must(orders[index], "an order in a box");
			return { ...order, ...asReply(more) };
		}),
	};
}

/** Adds each order's status; both lists are in the same order. */
const withStatus = <T extends object>(named: readonly T[], orders: readonly OrderInBox[]) =>
	named.map((order, index) => ({ ...order, status: must(orders[index], "an order in a box").status }));
