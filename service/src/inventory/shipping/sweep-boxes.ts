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

/** Milliseconds from the end of a sweep to the next one. */
const SWEEP_EVERY_MS = 60_000;
/** Why a sweep that was whole comes again. */
export const END_OF_SWEEP = "the next sweep";
/**
 * Milliseconds by which a sweep begins before the last one's end: a change may become visible in the list later than
 * its time says.
 */
const OVERLAP_MS = 10 * 60_000;
/**
 * Days that the very first sweep looks back: orders of other stores that stand open and were not touched for longer are
 * not seen.
 */
const FIRST_SWEEP_DAYS = 30;
/** A sweep counts as a second attempt when it comes again: it is soon enough, and always. */
const SWEEP_ATTEMPT = 2;
/** Pages that one sweep reads at most; the next one goes on from there. */
const MOST_PAGES = 50;

/**
 * Reads the list of changes from a while before the end of the last sweep on, and adds a look at each box that was
 * modified since it was carried over. The looks and the new end of the sweep are one transaction, page by page:
 * whatever happens, no change is passed over.
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

/**
 * Is there nothing more to be said of a box that was never seen? It was cancelled, or had its label before anybody
 * followed it.
 */
const isOver = ({ isCancelled, hasLabel, modifiedAt }: BoxHint, followedFromMs: number): boolean =>
	isCancelled || (hasLabel && (parseInstant(modifiedAt) ?? 0) < followedFromMs);

const isLater = (a: BoxHint, b: BoxHint): boolean =>
	(parseInstant(a.modifiedAt) ?? 0) > (parseInstant(b.modifiedAt) ?? 0);
