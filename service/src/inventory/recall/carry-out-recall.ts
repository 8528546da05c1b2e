import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { RunStep } from "../../partners/runs/run.ts";
import { findHolders, findHoldersOfLocked, nextHolders, remembered } from "./find-holders.ts";
import { findLotsToRecall, type RecallTarget } from "./find-lots-to-recall.ts";
import { resultOf } from "./recall-reply.ts";
import { added, type ExecuteRecallIn, type FactsOfStep, type MovedSoFar, progressOf } from "./step.ts";

/** A recall between two steps. */
export interface RecallState extends MovedSoFar {
	readonly target: RecallTarget;
	/** Null: no reason was given. */
	readonly reason: string | null;
	/** The lots recalled so far. */
	readonly fgIds: readonly string[];
	/** Units still bound to holds and orders that the recall has not reached. */
	readonly left: number;
}

export const newRecall = (target: RecallTarget, reason: string | null): RecallState => ({
	target,
	reason,
	fgIds: [],
	moved: 0,
	replaced: 0,
	lost: 0,
	left: 0,
});

/**
 * The next step of a recall. The first recalls all lots, so that no unit of any of them is promised from then on.
 * Further steps take units from holds and orders, in the order in which they get replacements (docs/decisions/0059).
 * Lots of the batch number that are added meanwhile are recalled, too.
 */
export async function carryOutRecall(
	executeIn: ExecuteRecallIn,
	tx: Query,
	state: RecallState,
	{ actor, requestId, memo, more }: FactsOfStep,
): Promise<RunStep<RecallState> | Refusal<"not_found">> {
	const { target, reason } = state;
	const isReached = state.left === 0;
	const fgIds = isReached ? await findLotsToRecall(tx, target) : state.fgIds;
	if (isRefusal(fgIds)) return fgIds;
	const holders = isReached ? [] : await remembered(memo, () => findHolders(tx, fgIds));
	const { named, rest } = nextHolders(holders);
	const command = { kind: "recall", origin: { actor, requestId }, reason, fgIds, holders: named } as const;
	const step = must((await executeIn(tx, [command], more))[0], "an answer");
	if (isRefusal(step)) return step;
	const { left } = step;
	// the holders may have ended since they were looked for; if units are still held, the command locked their lots
	const isNobodyNamed = !isReached && left > 0 && named.length === 0;
	const after: RecallState = { target, reason, fgIds, ...added(state, step), left };
	return {
		state: after,
		...progressOf(after, left),
		result: resultOf(after),
		isEnd: left === 0 && (await isEveryLotIn(tx, after)),
		memo: isNobodyNamed ? await findHoldersOfLocked(tx, fgIds) : rest,
	};
}

async function isEveryLotIn(tx: Query, { target, fgIds }: RecallState): Promise<boolean> {
	const found = await findLotsToRecall(tx, target);
	return isRefusal(found) || found.every((fgId) => fgIds.includes(fgId));
}
