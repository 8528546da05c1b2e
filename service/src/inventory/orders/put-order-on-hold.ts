import { isRefusal } from "../../ground/lib/refusal.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";
import { findNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import { orderForOperator } from "./show-order-for-operator.ts";

/** Puts the order that an operator names on hold; its partner is told why. `detail`: in words, for the partner. */
export async function putOrderOnHold(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	name: string,
	{ reason, detail }: { readonly reason: HoldReason; readonly detail: string | null },
) {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const answer = await engine.execute({ kind: "holdOrder", orderId: found.orderId, reason, detail });
	return isRefusal(answer) ? answer : await orderForOperator(db, answer.orderId);
}
