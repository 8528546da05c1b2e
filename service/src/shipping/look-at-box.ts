import { enqueue } from "../jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../jobs/job.ts";
import { isRefusal } from "../lib/refusal.ts";
import { plainArray } from "../pg/array.ts";
import { transaction } from "../pg/transaction.ts";
import { comeAgain } from "./again.ts";
import { boxChange, digestOf, isNews, lookAgainMs } from "./box-state.ts";
import { LOOK_AT_BOX } from "./job-names.ts";
import type { PlatformBox } from "./label-platform.ts";
import type { LabelDeps } from "./push-order.ts";
import { forgetBox, insertBox, lockBox, noteLook, saveBox, selectPushes, selectToday, takeDueBoxes } from "./sql.ts";

/** Boxes whose time has come that one run takes: with their labels, two requests each. */
const DUE_BOXES = 30;

/**
 * Reads a box as it is now and carries over what changed. What the orders committed and the service did not note any more, because it
 * ended in between, is carried over again, and is `already` then.
 */
export async function lookAtBox(
	deps: LabelDeps,
	platformId: string,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const { db, platform } = deps;
	const [[today] = [""]] = await selectToday(db, []);
	const box = await platform.read(platformId, today, signal);
	if (isRefusal(box)) return comeAgain(box, number);
	if (box === null) await forgetBox(db, [platformId]);
	else await carryOver(deps, box);
	return undefined;
}

async function carryOver({ db, orders, log }: LabelDeps, box: PlatformBox): Promise<void> {
	const known = new Set((await selectPushes(db, [plainArray(box.orderIds)])).map(([orderId]) => orderId));
	if (known.size === 0) return; // somebody else's
	const { platformId, modifiedAt, stage } = box;
	await insertBox(db, [platformId, lookAgainMs(stage, false)]);
	await transaction(db, async (tx) => {
		// two looks at one box take turns; nothing outside is asked while the row is locked
		const [stored] = await lockBox(tx, [platformId]);
		if (stored === undefined) return;
		const [modifiedMs, was, digest] = stored;
		if (!isNews({ modifiedMs, stage: was, digest }, box)) {
			await noteLook(tx, [platformId, modifiedAt, lookAgainMs(was, false)]);
			return;
		}
		const answer = await orders.applyChange(boxChange(box, known));
		const refusal = isRefusal(answer) ? `${answer.refusal}: ${answer.message}` : null;
		if (refusal !== null) log.warn("the orders did not accept what the label platform says", { reason: refusal });
		// what was refused is offered again: it is noted as not carried over
		const noted = refusal === null ? digestOf(box) : "";
		await saveBox(tx, [platformId, modifiedAt, stage, noted, refusal, lookAgainMs(stage, refusal !== null)]);
	});
}

/** Adds looks at the boxes whose time has come, and says how many. */
export const lookAtDueBoxes = (db: LabelDeps["db"]): Promise<number> =>
	transaction(db, async (tx) => {
		const due = await takeDueBoxes(tx, [DUE_BOXES]);
		await enqueue(
			tx,
			due.map(([platformId]) => newJob(LOOK_AT_BOX, platformId, { platformId })),
		);
		return due.length;
	});
