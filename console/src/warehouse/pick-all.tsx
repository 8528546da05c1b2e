import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import { PickProgress } from "./finish-walk.tsx";
import { nameOfOrder } from "./order-name.ts";
import type { PackedOrder } from "./orders-of.ts";
import { usePicking } from "./picking.ts";
import { isToRepack } from "./repack.tsx";
import type { Saying } from "./said.tsx";

/** Marks all orders of a box as picked that are not yet. Nothing if there is at most one. */
export function PickAll({ orders, saying }: { orders: readonly PackedOrder[]; saying: Saying }): ReactNode {
	const { progress, pickEach } = usePicking();
	const open = orders.filter((order) => order.status === "placed" && !isToRepack(order));
	if (open.length < 2 && progress === null) return null;
	const pick = async (): Promise<void> => {
		const came = await pickEach(open.map((order) => ({ id: order.order_id, name: nameOfOrder(order) })));
		const not = came.filter(({ outcome }) => outcome !== "picked");
		const said = not.map(({ name, why }) => words.pack.notPickedOf(name, why ?? ""));
		if (not.length > 0) saying.say("wrong", said.join(" "));
		else saying.say("done", words.pack.picked(came.map(({ name }) => name).join(", ")));
	};
	return (
		<>
			<div className="buttons">
				<button type="button" className="main" disabled={progress !== null} onClick={() => void pick()}>
					{words.pack.pickAll}
				</button>
			</div>
			<PickProgress progress={progress} />
		</>
	);
}
