import type { Executes } from "../../ground/engine/kind.ts";
import type { Requester } from "../../ground/engine/steps.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import type { FoundOrder } from "./find-order-sql.ts";
import type { LabelGate } from "./label-gate.ts";
import { can } from "./order.ts";

interface CancelDeps {
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	readonly labels: LabelGate;
}

interface Wish {
	readonly origin: Origin;
	/** In words, for the operator. */
	readonly reason: string | null;
}

/**
 * Cancels an order, whoever wants it. The label platform is asked first, where it has taken the order and nothing here
 * stands in the way.
 */
export async function cancelOrder(
	{ engine, labels }: CancelDeps,
	{ orderId, token, status }: FoundOrder,
	{ origin, reason }: Wish,
	requester: Requester | null = null,
) {
	const refusal = can("cancel", status, 0) ? await labels.askToCancel(orderId) : undefined;
	if (refusal) return refusal;
	const answer = await engine.execute({ kind: "cancel", origin, orderId, token, reason }, requester);
	return isRefusal(answer) ? answer : answer.orderId;
}
