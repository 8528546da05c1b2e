import { enqueue } from "../../ground/jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../../ground/jobs/job.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { comeAgain } from "./again.ts";
import { boxChange, digestOf, isNews, lookAgainMs, type StoredBox } from "./box-state.ts";
import { LOOK_AT_BOX } from "./job-names.ts";
import type { PlatformBox } from "./label-platform.ts";
import type { LabelDeps } from "./push-order.ts";
import { reportForeign, reportGone } from "./report-foreign.ts";
import { forgetBox, insertBox, lockBox, noteLook, saveBox, selectPushes, selectToday, takeDueBoxes } from "./sql.ts";

/** Maximum number of due boxes per run; each takes two requests, including the one for its labels. */
const DUE_BOXES = 30;

/**
 * Reads a box and applies its changes to the orders. If the service ended after the orders committed a change and
 * before it was recorded, the change is offered again and answered with `already`.
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
	if (box === null) {
		await reportGone(deps, platformId);
		await forgetBox(db, [platformId]);
		return undefined;
	}
	const known = new Set((await selectPushes(db, [plainArray(box.orderIds)])).map(([orderId]) => orderId));
	const refused = await reportForeign(deps, box, known);
	if (refused !== null)
		deps.log.warn("demand did not accept a report of the label platform", { reason: refused.message });
	await insertBox(db, [platformId, lookAgainMs(box.stage, false)]);
	if (known.size > 0) await carryOver(deps, box, known, refused);
	else await noteForeign(deps, box, refused);
	return undefined;
}

const inWords = (answer: unknown): string | null => (isRefusal(answer) ? `${answer.refusal}: ${answer.message}` : null);

/** Records a box without any of our orders: demand has its contents, so only its state and next read are stored. */
async function noteForeign({ db }: LabelDeps, box: PlatformBox, refused: Refusal | null): Promise<void> {
	const { platformId, modifiedAt, stage } = box;
	await transaction(db, async (tx) => {
		const stored = await lockStored(tx, platformId);
		if (stored === null) return;
		if (!isNews(stored, box))
			return void (await noteLook(tx, [platformId, modifiedAt, lookAgainMs(stored.stage, false)]));
		const noted = refused === null ? digestOf(box) : "";
		await saveBox(tx, [platformId, modifiedAt, stage, noted, inWords(refused), lookAgainMs(stage, refused !== null)]);
	});
}

/** `refused`: why the box's other contents were not accepted as demand; null: they were, or the box has none. */
async function carryOver(
	{ db, orders, log }: LabelDeps,
	box: PlatformBox,
	known: ReadonlySet<string>,
	refused: Refusal | null,
): Promise<void> {
	const { platformId, modifiedAt, stage } = box;
	if (!(await transaction(db, (tx) => beginOffer(tx, box)))) return;
	await transaction(db, async (tx) => {
		// serializes reads of one box; no external request is made while the row is locked
		const stored = await lockStored(tx, platformId);
		if (stored === null || stored.digest !== "" || !isNews(stored, box)) return; // a later read was quicker
		const answer = await orders.applyChange(boxChange(box, known));
		if (isRefusal(answer))
			log.warn("orders did not accept a report of the label platform", { reason: inWords(answer) ?? "" });
		const refusal = inWords(answer) ?? inWords(refused);
		// a refused state stays recorded as not applied, so that it is offered again
		const noted = refusal === null ? digestOf(box) : "";
		await saveBox(tx, [platformId, modifiedAt, stage, noted, refusal, lookAgainMs(stage, refusal !== null)]);
	});
}

/**
 * Records, and commits, which state is about to be offered. If the service then ends between the offer and its recorded
 * result, the previously applied state is not mistaken for the orders' current one. Returns false if the state is not
 * news.
 */
async function beginOffer(tx: Query, box: PlatformBox): Promise<boolean> {
	const { platformId, modifiedAt, stage } = box;
	const stored = await lockStored(tx, platformId);
	if (stored === null) return false;
	const again = lookAgainMs(stored.stage, false);
	if (isNews(stored, box)) await saveBox(tx, [platformId, modifiedAt, stage, "", null, lookAgainMs(stage, true)]);
	else await noteLook(tx, [platformId, modifiedAt, again]);
	return isNews(stored, box);
}

async function lockStored(tx: Query, platformId: string): Promise<StoredBox | null> {
	const [row] = await lockBox(tx, [platformId]);
	if (row === undefined) return null;
	const [modifiedMs, stage, digest] = row;
	return { modifiedMs, stage, digest };
}

/** Enqueues reads of boxes that are due; returns how many. */
export const lookAtDueBoxes = (db: LabelDeps["db"]): Promise<number> =>
	transaction(db, async (tx) => {
		const due = await takeDueBoxes(tx, [DUE_BOXES]);
		await enqueue(
			tx,
			due.map(([platformId]) => newJob(LOOK_AT_BOX, platformId, { platformId })),
		);
		return due.length;
	});
