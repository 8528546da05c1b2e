import { toRfc3339 } from "../../ground/lib/clock.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { MOST_POINTS, STEP_MS, type Step, USUAL_STEPS } from "./limits.ts";

/** Epoch milliseconds: from the beginning of a step, inclusive, to a time, exclusive. */
export interface Span {
	readonly from: number;
	readonly to: number;
}

/**
 * The time that a reply covers. Steps begin as the minutes, hours and days of UTC do. Refuses one that would have more
 * points than a reply may.
 */
export function readSpan(step: Step, since: number | undefined, to: number): Span | Refusal<"invalid_input"> {
	const ms = STEP_MS[step];
	const from = beginningOf(step, since ?? to - USUAL_STEPS[step] * ms);
	const points = Math.ceil((to - from) / ms);
	if (points <= MOST_POINTS) return { from, to };
	const earliest = toRfc3339(beginningOf(step, to - (MOST_POINTS - 1) * ms));
	const longer = LONGER[step];
	const advice = longer === undefined ? "" : `, or ask with step=${longer}`;
	return refuse(
		"invalid_input",
		`/from: a reply has at most ${MOST_POINTS} points, and there are ${points} ${step}s from ${toRfc3339(from)} to ${toRfc3339(to)}. Begin at ${earliest} or later${advice}.`,
	);
}

const LONGER: { readonly [step in Step]?: Step } = { minute: "hour", hour: "day" };

const beginningOf = (step: Step, at: number): number => Math.floor(at / STEP_MS[step]) * STEP_MS[step];
