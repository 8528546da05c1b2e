import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { addShelves, type Shelves } from "../stock/shelves.ts";
import { findNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import type { Contents } from "./order-record.ts";
import { showOrder } from "./show-order.ts";
import { orderForOperator } from "./show-order-for-operator.ts";

/** Lets the order that an operator names go on; what it lost is picked again from the pools of its own lines. */
export async function releaseHeldOrder(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	name: string,
	origin: Origin,
) {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const { orderId, token } = found;
	const { contents } = await showOrder(db, orderId);
	const answer = await engine.execute({ kind: "releaseOrder", origin, orderId, token, shelves: shelvesOf(contents) });
	return isRefusal(answer) ? answer : await orderForOperator(db, answer.orderId);
}

/** Where units for the lines of an order can be picked. Lines never change, so this needs no lock. */
function shelvesOf({ lines }: Contents): Shelves {
	const shelves: Shelves = new Map();
	for (const { pools, components } of lines) {
		for (const { formula_id } of components) addShelves(shelves, formula_id, pools);
	}
	return shelves;
}
