import { type JudgedCheck, judgeAll, passedOf, type RunResult } from "./checks.ts";
import type { GoLiveFacts } from "./facts.ts";
import type { Waiver } from "./run.ts";

/** A check of a run, with its verdict, review and waiver. */
export interface ShownCheck extends JudgedCheck {
	/** Null: the run may not finish without it, or it is passed anyway. */
	readonly waiver: Waiver | null;
}

/** The state of a run, which may finish if each required check is passed or waived. */
export interface Result extends RunResult {
	readonly checks: readonly ShownCheck[];
}

/** Judges a run by its facts. A waiver counts only while its check is not passed. Pure. */
export function resultOf(facts: GoLiveFacts, waivers: readonly Waiver[]): Result {
	const verdicts = judgeAll(facts);
	const { missing, line } = passedOf(verdicts);
	const waived = new Map(waivers.filter(({ check }) => missing.includes(check)).map((one) => [one.check, one]));
	const left = missing.filter((check) => !waived.has(check));
	return {
		checks: verdicts.map((verdict) => ({ ...verdict, waiver: waived.get(verdict.check) ?? null })),
		passed: left.length === 0,
		missing: left,
		line: waived.size === 0 ? line : `${line}, ${waived.size} waived`,
	};
}
