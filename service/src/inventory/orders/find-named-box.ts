import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type FoundBox, selectBox, selectBoxesOf } from "./box-sql.ts";
import { findNamedOrder, UUID } from "./find-order.ts";
import { type NamedOrder, nameOf } from "./named-order.ts";
import { isWaiting } from "./shipment.ts";

/** A box as an operator names it. */
export interface NamedBox {
	/** The named order, or the first order of the named box. */
	readonly order: NamedOrder;
	/** The named box, or the box in which the named order waits; null: it waits in none. */
	readonly box: FoundBox | null;
	/** The named box, or all boxes that the named order is or was in. */
	readonly boxes: readonly FoundBox[];
}

/** The box with this id, or the box in which the order of this name waits. */
export async function findNamedBox(
	db: Query,
	name: string,
): Promise<NamedBox | Refusal<"order_not_found" | "invalid_input">> {
	const { rows } = UUID.test(name) ? await selectBox(db, name.toLowerCase()) : { rows: [] };
	const [box] = rows;
	if (box) return { order: nameOf(must(box.orders[0], "the first order of a box")), box, boxes: rows };
	const order = await findNamedOrder(db, name);
	if (isRefusal(order)) return order;
	const { rows: boxes } = await selectBoxesOf(db, [order.orderId]);
	return { order: nameOf(order), box: boxes.find(isWaiting) ?? null, boxes };
}
