import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Alarm } from "./alarm.tsx";

/** Marks an order as picked. An order whose lots changed after it was picked must be picked again before it ships. */
export function PickButton({ order: { order_id, status } }: { order: DataOf<"get_order"> }): ReactNode {
	const { run, isBusy, done, error } = useWrite("pick_order");
	const isFirst = status === "placed";
	const mayPick = isFirst || status === "picked" || status === "partially_shipped";
	return (
		<>
			<Problem error={error} />
			<Alarm text={done?.picked === false ? words.pack.notPicked(done.why ?? "") : null} />
			{mayPick ? (
				<div className="buttons">
					<button
						type="button"
						className={isFirst ? "main" : undefined}
						disabled={isBusy}
						onClick={() => void run({ params: { id: order_id }, body: {} })}
					>
						{isFirst ? words.pack.pick : words.pack.pickAgain}
					</button>
				</div>
			) : null}
		</>
	);
}
