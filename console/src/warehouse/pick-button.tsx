import type { ReactNode } from "react";
import { useWrite } from "../api/use.ts";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { nameOfOrder } from "./order-name.ts";
import type { PackedOrder } from "./orders-of.ts";
import { isToRepack } from "./repack.tsx";
import type { Saying } from "./said.tsx";

/** Marks an order as picked; one that must be picked again is picked on the page of the pick list. */
export function PickButton({ order, saying }: { order: PackedOrder; saying: Saying }): ReactNode {
	const { order_id, status } = order;
	const { run, isBusy, error } = useWrite("pick_order");
	const isFirst = status === "placed";
	const mayPick = (isFirst || status === "picked" || status === "partially_shipped") && !isToRepack(order);
	const pick = async (): Promise<void> => {
		const done = await run({ params: { id: order_id }, body: {} });
		if (done === null) return;
		if (done.picked) saying.say("done", words.pack.picked(nameOfOrder(order)));
		else saying.say("wrong", words.pack.notPicked(done.why ?? ""));
	};
	return (
		<>
			<Problem error={error} />
			{mayPick ? (
				<div className="buttons">
					<button type="button" className={isFirst ? "main" : "small"} disabled={isBusy} onClick={() => void pick()}>
						{isFirst ? words.pack.pick : words.pack.pickAgain}
					</button>
				</div>
			) : null}
		</>
	);
}
