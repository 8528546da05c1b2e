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

/** What the box of an open order has too much and lacks, because the order got other lots after it was packed. */
export function lotsToChangeReply({ order, shipments }: OrderForOperator, changes: readonly LotChange[]) {
	const pick_again = isOpen(order.status) && mustBePickedAgain(order);
	const labelled = shipments.flatMap(({ shipment }) =>
		isWaiting(shipment) && shipment.labelCreatedAt !== null ? [shipment.labelCreatedAt] : [],
	);
	// without a pick and without a label, units are taken from the shelf only for what left
	const since = order.pickedAt ?? labelled[0] ?? (pick_again ? order.placedAt : null);
	if (since === null || !isOpen(order.status)) return { pick_again, take_out: [], put_in: [] };
	const { takeOut, putIn } = lotsToChange(changes, since);
	return { pick_again, take_out: takeOut.map(lotToChangeReply), put_in: putIn.map(lotToChangeReply) };
}

const lotToChangeReply = ({ fgId, formula, batchNumber, units, isRecalled }: LotToChange) => ({
	fg_id: fgId,
	formula,
	batch_number: batchNumber,
	units,
	recalled: isRecalled,
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
