import { ALL_CHECKS, type JudgedCheck, judgeAll, passedOf } from "./checks.ts";
import type { CheckName, GoLiveFacts } from "./facts.ts";
import type { Waiver } from "./run.ts";

/** A check of a run, with its verdict, review and waiver. */
export interface ShownCheck extends JudgedCheck {
	readonly title: string;
	readonly passedWhen: string;
	/** Null: the run may not finish without it, or it is passed anyway. */
	readonly waiver: Waiver | null;
}

/** The state of a run. */
export interface Result {
	readonly checks: readonly ShownCheck[];
	/** Whether it may finish: every required check is passed or waived. */
	readonly passed: boolean;
	/** The required checks that are neither. */
	readonly missing: readonly CheckName[];
	/** Such as "passed 9 of 10, 1 failed, 1 waived". */
	readonly line: string;
}

const BY_NAME = new Map(ALL_CHECKS.map((check) => [check.name, check]));

/** Judges a run by its facts. A waiver counts only while its check is not passed. Pure. */
export function resultOf(facts: GoLiveFacts, waivers: readonly Waiver[]): Result {
	const verdicts = judgeAll(facts);
	const { missing, line } = passedOf(verdicts);
	const waived = new Map(waivers.filter(({ check }) => missing.includes(check)).map((one) => [one.check, one]));
	const left = missing.filter((check) => !waived.has(check));
	const checks = verdicts.map((verdict) => ({
		...verdict,
		title: BY_NAME.get(verdict.check)?.title ?? verdict.check,
		passedWhen: BY_NAME.get(verdict.check)?.passedWhen ?? "",
		waiver: waived.get(verdict.check) ?? null,
	}));
	return {
		checks,
		passed: left.length === 0,
		missing: left,
		line: waived.size === 0 ? line : `${line}, ${waived.size} waived`,
	};
}
