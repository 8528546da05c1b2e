import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { RunStep } from "../../partners/runs/run.ts";
import { nextHolders } from "./find-holders.ts";
import type { RestoreCommand } from "./restore.ts";
import { selectWhoLacks } from "./sql.ts";
import { type ExecuteRecallIn, type FactsOfStep, progressOf } from "./step.ts";

export type AskedRestore = Pick<RestoreCommand, "fgId" | "units" | "reason" | "unlessRecalled">;

/** A restore between two steps. */
export interface RestoreState extends AskedRestore {
	readonly moved: number;
	/** Of those: given back to holds and orders. */
	readonly givenBack: number;
	/** Its first step ended a recall. Absent: the restore was begun by an earlier version. */
	readonly recallEnded?: boolean;
	/** Units of the request that are still in quarantine; null: nothing was done. */
	readonly left: number | null;
}

export const newRestore = (asked: AskedRestore): RestoreState => ({ ...asked, moved: 0, givenBack: 0, left: null });

/** What a restore has done so far, as its run stores it and replies show it. */
export const restoredReply = ({
	fgId,
	moved,
	givenBack,
	recallEnded = false,
	left,
}: Pick<RestoreState, "fgId" | "moved" | "givenBack" | "recallEnded" | "left">) =>
	asReply({ fgId, moved, replaced: 0, lost: 0, givenBack, recallEnded, left: left ?? 0 });

/**
 * The next step of a restore. Units go first to holds and orders that lost units of the lot and still lack them, oldest
 * first; the last step frees the rest. Usually there is one step. With many holders there are several, and the units
 * for later holders stay in quarantine meanwhile.
 */
export async function restoreUnits(
	executeIn: ExecuteRecallIn,
	tx: Query,
	state: RestoreState,
	{ actor, requestId, memo, more }: FactsOfStep,
): Promise<RunStep<RestoreState> | Refusal<"not_found" | "invalid_input">> {
	const { fgId, reason, unlessRecalled = false } = state;
	const holders = (memo as readonly string[] | undefined) ?? (await selectWhoLacks(tx, [fgId])).map(([token]) => token);
	const { named, rest: later } = nextHolders(holders);
	const units = state.left ?? state.units;
	const rest = later.length === 0 ? "free" : "waits";
	const command = {
		kind: "restore",
		origin: { actor, requestId },
		fgId,
		units,
		reason,
		holders: named,
		rest,
		// the first step has ended the recall that it was told to end: one that is there now is a later one
		unlessRecalled: unlessRecalled || state.left !== null,
	} as const;
	const step = must((await executeIn(tx, [command], more))[0], "an answer");
	if (isRefusal(step)) return step;
	const moved = state.moved + step.moved;
	const givenBack = state.givenBack + step.givenBack;
	const recallEnded = state.recallEnded === true || step.recallEnded;
	const { left } = step;
	const after = { ...state, moved, givenBack, recallEnded, left };
	return {
		state: after,
		...progressOf(after, left),
		result: restoredReply(after),
		isEnd: left === 0,
		memo: later,
	};
}
