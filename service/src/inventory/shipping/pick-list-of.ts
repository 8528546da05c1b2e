import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { listQueue } from "../orders/box-sql.ts";
import { findEachNamedOrder } from "../orders/find-order.ts";
import { type PickList, pickList } from "./pick-list.ts";
import { selectPickParts } from "./sql.ts";

/**
 * The orders of a pick list: named ones, with `toPick` only those that wait to be picked; or those to be picked in the
 * first boxes of the queue.
 */
export type PickListFor =
	| { readonly names: readonly string[]; readonly toPick?: boolean }
	/** `boxes`: maximum number of boxes. `brandCode` null: every brand. */
	| { readonly boxes: number; readonly brandCode: string | null };

/** The route through the warehouse for some orders, lot by lot. */
export async function pickListOf(
	db: Query,
	of: PickListFor,
): Promise<PickList | Refusal<"order_not_found" | "invalid_input">> {
	const orderIds = "names" in of ? await namedIds(db, of.names) : await waitingIds(db, of);
	if (isRefusal(orderIds)) return orderIds;
	const { rows } = await selectPickParts(db, orderIds, "names" in of && of.toPick === true);
	return pickList(rows);
}

async function namedIds(db: Query, names: readonly string[]) {
	const orders = await findEachNamedOrder(db, names);
	return isRefusal(orders) ? orders : orders.map(({ orderId }) => orderId);
}

async function waitingIds(db: Query, { boxes, brandCode }: { boxes: number; brandCode: string | null }) {
	const { items } = await listQueue(db, { brandCode, status: null, toPick: true }, boxes);
	return items.flatMap(({ orders }) => orders.filter(({ toPick }) => toPick).map(({ orderId }) => orderId));
}
