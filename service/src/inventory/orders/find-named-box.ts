import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type FoundBox, selectBox, selectBoxesOf } from "./box-sql.ts";
import { findNamedOrder, UUID } from "./find-order.ts";
import { type NamedOrder, nameOf } from "./named-order.ts";
import { isWaiting } from "./shipment.ts";

export interface NamedBox {
	/** The named order, or the first order of the named box. */
	readonly order: NamedOrder & { readonly called: string };
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
	if (box) return { order: namedOf(must(box.orders[0], "the first order of a box")), box, boxes: rows };
	const order = await findNamedOrder(db, name);
	if (isRefusal(order)) return order;
	const { rows: boxes } = await selectBoxesOf(db, [order.orderId]);
	return { order: namedOf(order), box: boxes.find(isWaiting) ?? null, boxes };
}

const namedOf = (order: NamedBox["order"]): NamedBox["order"] => ({ ...nameOf(order), called: order.called });

/** Maximum number of boxes that a refusal lists. */
const MAX_LISTED = 10;

/**
 * The id of the box to void: the box with this id; or the one box of the order of this name that has left or has a
 * label, else the last one that is voided already.
 */
export async function findBoxToVoid(
	db: Query,
	name: string,
): Promise<string | Refusal<"not_found" | "order_not_found" | "invalid_input" | "wrong_state">> {
	const found = await findNamedBox(db, name);
	if (isRefusal(found)) return UUID.test(name) ? refuse("not_found", `There is no shipment or order ${name}.`) : found;
	const { order, boxes } = found;
	const [named] = boxes;
	if (named?.shipmentId === name.toLowerCase()) return named.shipmentId;
	const isLabelled = (box: FoundBox): boolean => isWaiting(box) && box.trackingNumber !== null;
	const undoable = boxes.filter((box) => box.status === "shipped" || isLabelled(box));
	const one = undoable.length > 0 ? undoable[0] : boxes.findLast(({ status }) => status === "voided");
	if (one === undefined)
		return refuse("wrong_state", `No box of order ${order.called} has left or has a label: there is nothing to void.`);
	if (undoable.length < 2) return one.shipmentId;
	const listed = undoable
		.slice(0, MAX_LISTED)
		.map((box) => `${box.shipmentId} (${[box.status, box.trackingNumber].filter((text) => text !== null).join(", ")})`);
	const more = undoable.length > MAX_LISTED ? [`${undoable.length - MAX_LISTED} more`] : [];
	return refuse(
		"invalid_input",
		`${undoable.length} boxes of order ${JSON.stringify(name)} have left or have a label. Give the id of one: ${[...listed, ...more].join(", ")}.`,
	);
}
