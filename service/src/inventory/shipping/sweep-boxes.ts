import { enqueue } from "../../ground/jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../../ground/jobs/job.ts";
import { assert } from "../../ground/lib/assert.ts";
import { parseInstant } from "../../ground/lib/instant.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { plainArray, textArray } from "../../ground/pg/array.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { comeAgain } from "./again.ts";
import { LOOK_AT_BOX } from "./job-names.ts";
import type { BoxHint, HintPosition } from "./label-platform.ts";
import type { LabelDeps } from "./push-order.ts";
import { noteSweep, selectFollowedFrom, selectModified, selectSweepStart } from "./sql.ts";

/** Milliseconds between the end of a sweep and the next. */
const SWEEP_EVERY_MS = 60_000;
/** The reason given for repeating a complete sweep. */
export const END_OF_SWEEP = "the next sweep";
/** Milliseconds of overlap between sweeps, because a change may appear in the list later than its timestamp. */
const OVERLAP_MS = 10 * 60_000;
/** Days covered by the very first sweep: open orders of other stores not modified since are not seen. */
const FIRST_SWEEP_DAYS = 30;
/** The attempt number for retries of a sweep, which gives a short, constant delay. */
const SWEEP_ATTEMPT = 2;
/** Maximum number of pages per sweep; the next sweep continues from there. */
const MOST_PAGES = 50;

/**
 * Reads the list of changes since shortly before the end of the last sweep, and enqueues a read of each box modified
 * since it was last applied. The reads and the new end of the sweep are written in one transaction per page, so that no
 * change is ever skipped.
 */
export async function sweepBoxes(deps: LabelDeps, { signal }: JobAttempt): Promise<Again> {
	const { db, platform } = deps;
	const [start] = await selectSweepStart(db, [platform.id, OVERLAP_MS, FIRST_SWEEP_DAYS]);
	assert(start !== undefined, "an aggregate has a row");
	let position: HintPosition | null = { since: start[0], page: 1 };
	for (let pages = 0; position !== null && pages < MOST_PAGES && !signal.aborted; pages++) {
		const page = await platform.changesSince(position, signal);
		if (isRefusal(page)) return comeAgain(page, SWEEP_ATTEMPT);
		await takePage(deps, page.hints);
		position = page.next;
	}
	return position === null ? { afterMs: SWEEP_EVERY_MS, why: END_OF_SWEEP } : { afterMs: 0, why: "more pages" };
}

async function takePage({ db, platform }: LabelDeps, given: readonly BoxHint[]): Promise<void> {
	const hints = given.filter(({ modifiedAt }) => parseInstant(modifiedAt) !== null);
	const last = hints.reduce<BoxHint | null>((best, next) => (best === null || isLater(next, best) ? next : best), null);
	if (last === null) return;
	const lies = hints.flatMap(({ platformId, orderIds }) => orderIds.map((orderId) => ({ platformId, orderId })));
	await transaction(db, async (tx) => {
		await noteSweep(tx, [platform.id, last.modifiedAt]);
		const [[followedFromMs] = [0]] = await selectFollowedFrom(tx, [platform.id]);
		const modified = await selectModified(tx, [
			textArray(hints.map(({ platformId }) => platformId)),
			textArray(hints.map(({ modifiedAt }) => modifiedAt)),
			plainArray(hints.map((hint) => String(isOver(hint, followedFromMs)))),
			textArray(lies.map(({ platformId }) => platformId)),
			plainArray(lies.map(({ orderId }) => orderId)),
		]);
		await enqueue(
			tx,
			modified.map(([platformId]) => newJob(LOOK_AT_BOX, platformId, { platformId })),
		);
	});
}

/** Whether a box that was never seen is finished: cancelled, or labelled before other stores' orders were followed. */
const isOver = ({ isCancelled, hasLabel, modifiedAt }: BoxHint, followedFromMs: number): boolean =>
	isCancelled || (hasLabel && (parseInstant(modifiedAt) ?? 0) < followedFromMs);

const isLater = (a: BoxHint, b: BoxHint): boolean =>
	(parseInstant(a.modifiedAt) ?? 0) > (parseInstant(b.modifiedAt) ?? 0);
