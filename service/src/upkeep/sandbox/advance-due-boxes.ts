import type { Executes } from "../../ground/engine/kind.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ORDER_COMMANDS } from "../../inventory/orders/commands.ts";
import { nextMoves } from "./box.ts";
import { selectDueBoxes } from "./box-sql.ts";
import { holdInBox, moveBoxOut, pickInBox } from "./move-box.ts";

/** Maximum number of orders per run; the next run continues. */
const MOST_PER_RUN = 200;
const ORIGIN = { actor: "system:sandbox", requestId: null } as const;

export interface AdvanceDeps {
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	/** For short reads by index. */
	readonly readDb: Query;
}

/**
 * Advances the sandbox's orders that are due (settlements, section 10). Every node does this: the engine refuses a step
 * that another node has already made, and the refusal is ignored. An order for which the engine was too busy is due
 * again in the next run.
 */
export async function advanceDueBoxes({ engine, readDb }: AdvanceDeps): Promise<void> {
	const boxes = await selectDueBoxes(readDb, MOST_PER_RUN);
	const moves = boxes.flatMap((box): Promise<unknown>[] => {
		const { hold, pick, ship } = nextMoves(box);
		return [
			...hold.map((order) => holdInBox(engine, order, null)),
			...pick.map((order) => pickInBox(engine, order, null)),
			...(ship ? [moveBoxOut(engine, box, ORIGIN, null)] : []),
		];
	});
	for (const one of await Promise.allSettled(moves)) {
		if (one.status === "rejected") throw one.reason; // only after all of them have ended
	}
}
