import { asReply } from "../../ground/lib/as-reply.ts";
import type { OperatorRun } from "../../partners/runs/run.ts";
import type { LotOfBatch } from "../stock/find-lot-sql.ts";
import type { RecallState } from "./carry-out-recall.ts";
import type { RecallReport } from "./report-recall.ts";

/** The progress of a recall, as its run stores it and replies show it. */
export const summaryReply = ({ target, ...state }: RecallState) => ({
	batch_number: "fgId" in target ? null : target.batchNumber,
	formula: "fgId" in target ? null : target.formula,
	slug: "fgId" in target ? null : target.slug,
	fg_id: "fgId" in target ? target.fgId : null,
	reason: state.reason,
	moved: state.moved,
	replaced: state.replaced,
	lost: state.lost,
	left: state.left,
});

/** The result of a recall's run. */
export const resultOf = (state: RecallState) => ({ ...summaryReply(state), fg_ids: state.fgIds });

type RecallResult = ReturnType<typeof resultOf>;

export function runSummary(run: OperatorRun) {
	const { fg_ids: fgIds, ...summary } = run.result as RecallResult;
	const times = {
		status: run.status,
		started_at: run.startedAt.toISOString(),
		ended_at: run.endedAt?.toISOString() ?? null,
	};
	return { fgIds, reply: { recall_id: run.runId, ...times, ...summary } };
}

export const listsReply = (
	{ lots, restored, ...lists }: Omit<RecallReport, "forecast">,
	nearlyTheSame: readonly LotOfBatch[],
) => ({
	nearly_the_same: asReply(nearlyTheSame.map(({ sandboxOf: _sandboxOf, ...lot }) => lot)),
	lots: asReply(lots.map((lot) => ({ ...lot, restored: restored.get(lot.fgId) ?? 0 }))),
	...asReply(lists),
});
