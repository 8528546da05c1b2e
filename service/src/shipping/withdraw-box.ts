import type { Again, JobAttempt } from "../jobs/job.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { PushedOrder } from "./label-platform.ts";
import type { LabelDeps } from "./push-order.ts";

/** Milliseconds after which a platform that did not cancel is asked again. */
const ASK_AGAIN_MS = 600_000;

/** Has a box cancelled that must not be shipped: its order went on hold, or was cancelled, before the platform had answered. */
export async function withdrawBox(
	{ platform }: LabelDeps,
	order: PushedOrder,
	{ signal }: JobAttempt,
): Promise<Again | undefined> {
	const answer = await platform.cancel(order, signal);
	return isRefusal(answer) ? { afterMs: ASK_AGAIN_MS, why: answer.message, failed: true } : undefined;
}
