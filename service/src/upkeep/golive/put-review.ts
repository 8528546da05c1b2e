import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { CheckName } from "./facts.ts";
import { findRunning } from "./find-run.ts";
import { loadFacts } from "./load-facts.ts";
import { resultOf, type ShownCheck } from "./result.ts";
import type { GoLiveRun } from "./run.ts";
import { insertReview } from "./sql.ts";

type Answer = GoLiveRun | Refusal<"not_found" | "not_possible_now">;

/** A check of a run without the verdicts of people; null: it does not concern the key. */
async function unreviewed(tx: Query, run: GoLiveRun, name: CheckName): Promise<ShownCheck | null> {
	const { facts } = await loadFacts(tx, run);
	return resultOf({ ...facts, reviews: [] }, []).checks.find(({ check }) => check === name) ?? null;
}

const notConcerned = (check: CheckName, what: string): Refusal<"not_possible_now"> =>
	refuse("not_possible_now", `The check ${check} does not concern this key, so there is nothing to ${what}.`);

/** Keeps the verdict of a person on a check that only a person can judge. */
export async function putReview(
	tx: Query,
	named: string,
	review: { readonly check: CheckName; readonly passed: boolean; readonly words: string; readonly by: string },
): Promise<Answer> {
	const run = await findRunning(tx, named);
	if (isRefusal(run)) return run;
	const check = await unreviewed(tx, run, review.check);
	if (check === null) return notConcerned(review.check, "review");
	if (check.verdict !== "review") {
		const message = `The check ${review.check} is ${check.verdict}: a person decides only what has the verdict review.`;
		return refuse("not_possible_now", message);
	}
	await insertReview(tx, run.goLiveId, review);
	return run;
}

/** Lets a run finish without a check. */
export async function putWaiver(
	tx: Query,
	named: string,
	{ check, reason, by }: { readonly check: CheckName; readonly reason: string; readonly by: string },
): Promise<Answer> {
	const run = await findRunning(tx, named);
	if (isRefusal(run)) return run;
	if ((await unreviewed(tx, run, check)) === null) return notConcerned(check, "waive");
	await insertReview(tx, run.goLiveId, { check, passed: null, by, words: reason });
	return run;
}
