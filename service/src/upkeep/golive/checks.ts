import { ABOVE } from "./above.ts";
import type { Check, CheckName, CheckVerdict, GoLiveFacts, Review } from "./facts.ts";
import { unkindCheck } from "./unkind-check.ts";
import { plural } from "./verdicts.ts";
import { inOrder } from "./windows.ts";

/** The version of the set of checks, which reports include. It changes when any check decides differently. */
export const CHECKS_VERSION = "2026-11-27";

/** All checks, in the order in which a report lists them (operator contract, section 6). */
export const ALL_CHECKS: readonly Check[] = [...ABOVE, unkindCheck];

/** The verdict of a check of a run. */
export interface JudgedCheck extends CheckVerdict {
	readonly check: CheckName;
	readonly title: string;
	readonly passedWhen: string;
	readonly optional: boolean;
	/** The review that decided it; null: no person did. */
	readonly review: Review | null;
}

/** The verdicts of the checks that concern the key. The order of the facts does not matter. */
export function judgeAll(facts: GoLiveFacts): readonly JudgedCheck[] {
	const ordered = inOrder(facts);
	const concerning = ALL_CHECKS.filter(({ concerns }) => concerns(ordered));
	return concerning.map(({ name: check, title, passedWhen, optional, judge }) => {
		const verdict = judge(ordered);
		const review = ordered.reviews.findLast((one) => one.check === check) ?? null;
		const named = { check, title, passedWhen, optional };
		return review !== null && isReviewed(verdict, review)
			? { ...named, ...reviewed(verdict, review), review }
			: { ...named, ...verdict, review: null };
	});
}

/**
 * A review counts only if the check leaves the verdict to a person, and only if it was given after the fact that it
 * judges.
 */
const isReviewed = ({ verdict, since }: CheckVerdict, { at }: Review): boolean =>
	verdict === "review" && at >= (since ?? Number.NEGATIVE_INFINITY);

const reviewed = ({ evidence, cure }: CheckVerdict, { at, by, passed, words }: Review): CheckVerdict => ({
	verdict: passed ? "passed" : "failed",
	since: at,
	evidence,
	says: `${by} looked at it: ${words}`,
	cure: passed ? null : cure,
});

export interface RunResult {
	/** Whether every required check is passed, with or without a warning. */
	readonly passed: boolean;
	/** The required checks that are not passed. */
	readonly missing: readonly CheckName[];
	/** Such as "passed 10 of 10, 1 warning". */
	readonly line: string;
}

const isPassed = ({ verdict }: CheckVerdict): boolean => verdict === "passed" || verdict === "warning";

/**
 * Whether a run may finish, and the line that says so. The line counts required checks, and an optional one once it
 * is no longer waiting.
 */
export function passedOf(verdicts: readonly JudgedCheck[]): RunResult {
	const required = verdicts.filter(({ optional }) => !optional);
	const counted = verdicts.filter(({ optional, verdict }) => !optional || verdict !== "waiting");
	const count = (word: CheckVerdict["verdict"]): number => counted.filter(({ verdict }) => verdict === word).length;
	const parts = [
		`passed ${counted.filter(isPassed).length} of ${counted.length}`,
		...(count("warning") > 0 ? [plural(count("warning"), "warning")] : []),
		...(count("failed") > 0 ? [`${count("failed")} failed`] : []),
		...(count("review") > 0 ? [`${count("review")} for a person to review`] : []),
		...(count("waiting") > 0 ? [`${count("waiting")} waiting`] : []),
	];
	const missing = required.filter((one) => !isPassed(one)).map(({ check }) => check);
	return { passed: required.length > 0 && missing.length === 0, missing, line: parts.join(", ") };
}
