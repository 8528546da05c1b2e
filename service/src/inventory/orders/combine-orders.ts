import type { Executes } from "../../ground/engine/kind.ts";
import type { Requester } from "../../ground/engine/steps.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import { findOrder } from "./find-order.ts";
import { selectShipment } from "./find-order-sql.ts";
import type { LabelGate } from "./label-gate.ts";

interface CombineDeps {
	readonly db: Query;
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	readonly labels: LabelGate;
}

/**
 * Puts orders of a key into one box, which is returned. `primaryRef` is the one whose box it becomes; absent: the
 * first.
 */
export async function combineOrders(
	{ db, engine, labels }: CombineDeps,
	caller: Caller,
	{ refs, primaryRef }: { readonly refs: readonly string[]; readonly primaryRef: string | undefined },
	requester: Requester,
) {
	const orderIds = new Set<string>();
	for (const [index, ref] of refs.entries()) {
		const found = await findOrder(db, caller, ref);
		if (isRefusal(found)) return { ...found, message: `/order_refs/${index}: ${found.message}` };
		orderIds.add(found.orderId);
	}
	const primary = primaryRef === undefined ? undefined : await findOrder(db, caller, primaryRef);
	if (isRefusal(primary)) return primary;
	if (primary && !orderIds.has(primary.orderId))
		return refuse("invalid_input", "/primary_ref: expected one of order_refs.");
	if (orderIds.size < MIN_COMBINED)
		return refuse("invalid_input", "/order_refs: expected at least two different orders.");
	const ids = [...new Set([...(primary ? [primary.orderId] : []), ...orderIds])];
	const refusal = await labels.askToCombine(ids);
	if (refusal) return refusal;
	const answer = await engine.execute({ kind: "combine", orderIds: ids }, requester);
	return isRefusal(answer) ? answer : await selectShipment(db, answer.shipmentId);
}

/** Fewer are no combination (settlements, section 7). */
const MIN_COMBINED = 2;
