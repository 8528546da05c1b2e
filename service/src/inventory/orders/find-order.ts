import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type FoundOrder, findOrders } from "./find-order-sql.ts";

/** What an id looks like, in either case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The order that a partner means: by its id, then by the Idempotency-Key that this key placed it under (settlements,
 * section 6). Another partner's order looks like none.
 */
export async function findOrder(
	db: Query,
	{ keyId, partnerId }: Caller,
	ref: string,
): Promise<FoundOrder | Refusal<"order_not_found" | "order_forbidden">> {
	const orderId = UUID.test(ref) ? ref.toLowerCase() : null;
	const found = await findOrders(db, orderId, keyId, ref);
	const own = found.find((order) => order.keyId === keyId);
	if (own) return own;
	return found.some((order) => order.partnerId === partnerId)
		? refuse("order_forbidden", "Another key of yours placed this order: ask with that key.")
		: refuse("order_not_found", "There is no order with this order_id or Idempotency-Key.");
}
