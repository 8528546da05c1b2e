import { isRefusal } from "../../ground/lib/refusal.ts";
import { sum } from "../../ground/lib/sum.ts";
import { unitsIn } from "../holds/hold.ts";
import { isSameAddress } from "../orders/combine.ts";
import { selectOrder } from "../orders/find-order-sql.ts";
import type { LabelGate } from "../orders/label-gate.ts";
import { isCancellable, shipToOf } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { isWaiting, reachesLabelPlatform } from "../orders/shipment.ts";
import { itemsOf } from "../orders/shipment-reply.ts";
import { type AskDeps, askPlatformToCancel, askPlatformToCombine } from "./ask-platform.ts";

/**
 * The consent of the label platform. It is requested only if the orders could be cancelled or combined in their current
 * state, because the platform does not undo its part.
 */
export const createLabelGate = (deps: AskDeps): LabelGate => ({
	async askToCancel(orderId) {
		const record = await selectOrder(deps.db, orderId);
		if (record === undefined || !couldBeCancelled(record)) return undefined;
		const box = recordOfBox(record);
		const [primaryId = orderId, ...others] = box?.shipment.orderIds ?? [];
		const kits = box === undefined ? {} : { kits: sum(itemsOf(box).map(({ qty }) => qty)) };
		const answer = await askPlatformToCancel(deps, primaryId, { isShared: others.length > 0, ...kits });
		return isRefusal(answer) ? answer : undefined;
	},
	async askToCombine(orderIds) {
		const records = await Promise.all(orderIds.map((orderId) => selectOrder(deps.db, orderId)));
		if (!couldBeCombined(records)) return undefined;
		const [primaryId = "", ...others] = orderIds;
		const answer = await askPlatformToCombine(deps, primaryId, others);
		return isRefusal(answer) ? answer : undefined;
	},
});

const recordOfBox = ({ shipments }: OrderRecord) => shipments.find(({ shipment }) => isWaiting(shipment));
const boxOf = (record: OrderRecord) => recordOfBox(record)?.shipment;

const couldBeCancelled = ({ order, contents }: OrderRecord): boolean =>
	reachesLabelPlatform(order) && isCancellable(order.status, unitsIn("shipped", contents.parts));

/**
 * The engine's conditions: orders of one key, placed, alone in a box without a label, with the same receiver, address
 * and service.
 */
function couldBeCombined(records: readonly (OrderRecord | undefined)[]): boolean {
	const first = records[0]?.order;
	if (first === undefined) return false;
	return records.every((record) => {
		if (record === undefined || !reachesLabelPlatform(record.order)) return false;
		const { status, serviceLevel, customer, poolId, keyId } = record.order;
		const box = boxOf(record);
		return (
			status === "placed" &&
			box?.orderIds.length === 1 &&
			box.labelCreatedAt === null &&
			serviceLevel === first.serviceLevel &&
			poolId === first.poolId &&
			keyId === first.keyId &&
			isSameAddress(shipToOf(customer), shipToOf(first.customer))
		);
	});
}
