import type { Executes } from "../../ground/engine/kind.ts";
import type { Requester } from "../../ground/engine/steps.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { ORDER_COMMANDS } from "../../inventory/orders/commands.ts";
import type { NamedOrder } from "../../inventory/orders/named-order.ts";
import type { Origin } from "../../inventory/stock/move.ts";
import { type BoxedTestOrder, fakeLabel, HELD_DETAIL, type TestBox } from "./box.ts";

/* The steps that the sandbox takes with its orders, as the commands that a warehouse would send. */

type Engine = Executes<typeof ORDER_COMMANDS>;

export const holdInBox = (engine: Engine, { orderId }: Pick<NamedOrder, "orderId">, requester: Requester | null) =>
	engine.execute({ kind: "holdOrder", orderId, reason: "other", detail: HELD_DETAIL }, requester);

export const pickInBox = (engine: Engine, { orderId, token }: NamedOrder, requester: Requester | null) =>
	engine.execute({ kind: "pick", orderId, token }, requester);

/** Ships a whole box under a made-up label. */
export async function moveBoxOut(engine: Engine, box: TestBox, origin: Origin, requester: Requester | null) {
	const orders = box.map(({ orderId, token }) => ({ orderId, token }));
	const label = fakeLabel(must<BoxedTestOrder>(box[0], "an order in the box"));
	return await engine.execute(
		{ kind: "ship", origin, orders, items: null, ...label, newShipmentId: newId() },
		requester,
	);
}
