import { toRfc3339 } from "../../ground/lib/clock.ts";
import { type CheckVerdict, type Fault, MOST_EVIDENCE } from "./facts.ts";
import { HOUR, MINUTE, SECOND } from "./windows.ts";

/** The ids that a verdict names: each once, and if there are too many, the latest. */
const named = (ids: readonly string[]): readonly string[] => [...new Set(ids)].slice(-MOST_EVIDENCE);

/** Makes verdicts of a kind that tells what to do. */
const advising =
	(verdict: CheckVerdict["verdict"]) =>
	(says: string, cure: string, since: number | null = null, ids: readonly string[] = []): CheckVerdict => ({
		verdict,
		since,
		evidence: named(ids),
		says,
		cure,
	});

/** Nothing was seen yet, or not enough. */
export const waiting = advising("waiting");
/** Only a person can say. */
export const toReview = advising("review");
/** Passed, with something that the partner should change. */
export const warned: (says: string, cure: string, since: number, ids: readonly string[]) => CheckVerdict =
	advising("warning");

export const passed = (says: string, since: number, ids: readonly string[]): CheckVerdict => ({
	verdict: "passed",
	since,
	evidence: named(ids),
	says,
	cure: null,
});

/**
 * Failed because of these faults, none of which was cleared, since the first of them; its text describes the last one.
 */
export function failed(last: Fault, faults: readonly Fault[] = [last]): CheckVerdict {
	const since = faults[0]?.at ?? last.at;
	const more = faults.length <= 1 ? "" : ` It is the latest of ${faults.length} faults since ${moment(since)}.`;
	return {
		verdict: "failed",
		since,
		evidence: named(faults.flatMap(({ evidence }) => evidence)),
		says: `${last.says}${more}`,
		cure: last.cure,
	};
}

/** Faults in the order of their times. */
export const inTime = <T extends Fault>(faults: readonly T[]): T[] =>
	faults.toSorted((a, b) => a.at - b.at || (a.says < b.says ? -1 : a.says > b.says ? 1 : 0));

/** An instant as the API writes it. */
export const moment = (at: number): string => toRfc3339(Math.floor(at));

const UNITS = [
	[HOUR, "h"],
	[MINUTE, "min"],
	[SECOND, "s"],
] as const;

/** A duration in words, such as `5 min 10 s`: below ten seconds with milliseconds, from an hour without seconds. */
export function duration(ms: number): string {
	if (ms < 10 * SECOND) return ms < SECOND ? `${Math.round(ms)} ms` : `${Number((ms / SECOND).toFixed(3))} s`;
	const words: string[] = [];
	let left = Math.floor(ms / SECOND) * SECOND;
	for (const [unit, word] of UNITS) {
		const count = Math.floor(left / unit);
		left -= count * unit;
		if (count > 0) words.push(`${count} ${word}`);
	}
	return words.slice(0, 2).join(" ");
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
