import type { Again, JobAttempt } from "../../ground/jobs/job.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { comeAgain } from "./again.ts";
import type { PushedOrder } from "./label-platform.ts";
import type { LabelDeps } from "./push-order.ts";

/** Cancels a box that must not ship because its order was put on hold or cancelled before the platform had answered. */
export async function withdrawBox(
	{ platform }: LabelDeps,
	order: PushedOrder,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const answer = await platform.cancel(order, signal);
	return isRefusal(answer) ? comeAgain(answer, number) : undefined;
}
