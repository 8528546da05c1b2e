import type { Executes } from "../engine/kind.ts";
import type { Requester } from "../engine/steps.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import type { LabelGate } from "./label-gate.ts";
import type { NamedOrder } from "./named-order.ts";

interface CancelDeps {
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	readonly labels: LabelGate;
}

/** Cancels an order, whoever wants it: the label platform is asked first, where it has taken the order. */
export async function cancelOrder(
	{ engine, labels }: CancelDeps,
	{ orderId, token }: NamedOrder,
	origin: Origin,
	requester: Requester | null = null,
) {
	const refusal = await labels.askToCancel(orderId);
	if (refusal) return refusal;
	const answer = await engine.execute({ kind: "cancel", origin, orderId, token }, requester);
	return isRefusal(answer) ? answer : answer.orderId;
}
