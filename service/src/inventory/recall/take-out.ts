import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { RunStep } from "../../partners/runs/run.ts";
import { findHolders, findHoldersOfLocked, nextHolders, remembered } from "./find-holders.ts";
import type { TakeOutCommand } from "./quarantine.ts";
import { added, type ExecuteRecallIn, type FactsOfStep, type MovedSoFar, progressOf } from "./step.ts";

export type AskedTakeOut = Pick<TakeOutCommand, "kind" | "fgId" | "units" | "reason">;

/** A quarantine or a destruction between two steps. */
export interface TakeOutState extends MovedSoFar, AskedTakeOut {
	/** Units of the request that were not taken yet; null: nothing was done. */
	readonly left: number | null;
}

export const newTakeOut = (asked: AskedTakeOut): TakeOutState => ({
	...asked,
	moved: 0,
	replaced: 0,
	lost: 0,
	left: null,
});

/**
 * The next step of taking units out of a lot, even if they are held. The first step takes free units; further steps
 * take those of the youngest holds. If all units are to be taken, the steps process holders in the order in which
 * holders get replacements.
 */
export async function takeOut(
	executeIn: ExecuteRecallIn,
	tx: Query,
	state: TakeOutState,
	{ actor, requestId, memo, more }: FactsOfStep,
): Promise<RunStep<TakeOutState> | Refusal<"not_found" | "invalid_input">> {
	const { kind, fgId, reason } = state;
	const isAll = state.units === "all";
	const first = isAll ? "given" : "lose";
	const isBegun = state.left !== null;
	const holders = isBegun ? await remembered(memo, () => findHolders(tx, [fgId], first)) : [];
	const { named, rest } = nextHolders(holders);
	const units = isAll ? "all" : (state.left ?? state.units);
	const command = { kind, origin: { actor, requestId }, fgId, units, reason, holders: named } as const;
	const step = must((await executeIn(tx, [command], more))[0], "an answer");
	if (isRefusal(step)) return step;
	const { left } = step;
	// the holders may have ended since they were looked for; if units are still held, the command locked their lot
	const isNobodyNamed = isBegun && left > 0 && named.length === 0;
	const soFar = added(state, step);
	return {
		state: { ...state, ...soFar, left },
		...progressOf(soFar, left),
		result: asReply({ fgId, ...soFar }),
		isEnd: left === 0,
		memo: isNobodyNamed ? await findHoldersOfLocked(tx, [fgId], first) : rest,
	};
}
