import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { OperatorRun } from "../../partners/runs/run.ts";
import { selectLastRun } from "../../partners/runs/sql.ts";
import { findLotsToRecall, type RecallTarget } from "./find-lots-to-recall.ts";
import { lockRecalls, selectRecallableLots } from "./sql.ts";

/**
 * The run of the same recall, if it is still under way or has already done everything that another run would do; null:
 * there is none. No other recall can begin until the transaction ends.
 */
export async function findSameRecall(
	tx: Query,
	operation: OperatorRun["operation"],
	target: RecallTarget,
): Promise<string | null> {
	await lockRecalls(tx);
	const last = await selectLastRun(tx, operation, target);
	if (last === null) return null;
	const { runId, status, stopAsked, endedAt } = last;
	if (status === "running") return stopAsked ? null : runId;
	return status === "done" && endedAt !== null && (await isInForceSince(tx, target, endedAt)) ? runId : null;
}

/** Whether all lots have been recalled since then, and none of their units is free, held or allocated. */
async function isInForceSince(tx: Query, target: RecallTarget, at: Date): Promise<boolean> {
	const fgIds = await findLotsToRecall(tx, target);
	if (isRefusal(fgIds)) return false;
	const { rows } = await selectRecallableLots(tx, fgIds);
	return rows.every(
		({ recalledAt, available, held, allocated }) =>
			recalledAt !== null && recalledAt <= at && available + held + allocated === 0,
	);
}
