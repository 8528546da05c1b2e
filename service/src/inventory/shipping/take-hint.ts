import { enqueue } from "../../ground/jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../../ground/jobs/job.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { comeAgain } from "./again.ts";
import { SWEEP_BOXES, THE_SWEEP } from "./job-names.ts";
import { lookAtBox } from "./look-at-box.ts";
import type { LabelDeps } from "./push-order.ts";

/** Reads the box that a notification is about or, if that is unknown, starts a sweep. */
export async function takeHint(deps: LabelDeps, hint: string, attempt: JobAttempt): Promise<Again | undefined> {
	const platformId = await deps.platform.boxOf(hint, attempt.signal);
	if (isRefusal(platformId)) return comeAgain(platformId, attempt.number);
	if (platformId !== null) return await lookAtBox(deps, platformId, attempt);
	await enqueue(deps.db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
	return undefined;
}
