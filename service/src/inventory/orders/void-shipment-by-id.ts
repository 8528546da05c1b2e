import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Origin } from "../stock/move.ts";
import { selectBox } from "./box-sql.ts";
import type { OperatorDeps } from "./find-named-order.ts";
import { boxNow } from "./ship-order.ts";
import { withBox } from "./with-box.ts";

/** Undoes what was noted of a parcel that never left: a shipment, or a label. What was in it waits again. */
export async function voidShipmentById(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	shipmentId: string,
	origin: Origin,
) {
	const answer = await withBox(
		async () => {
			const { rows } = await selectBox(db, shipmentId);
			return rows[0] ?? refuse("not_found", `There is no shipment ${shipmentId}.`);
		},
		({ orders, fgIds }) =>
			engine.execute({
				kind: "voidShipment",
				...{ origin, shipmentId, fgIds },
				orders: orders.map(({ orderId, token }) => ({ orderId, token, newShipmentId: newId() })),
			}),
	);
	return isRefusal(answer) ? answer : await boxNow(db, answer.shipmentId);
}
