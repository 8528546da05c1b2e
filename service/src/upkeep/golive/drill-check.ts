import { drillFaults, firstRefused, looksHidden } from "./drill-faults.ts";
import type { Check, CheckVerdict, Drill, GoLiveFacts, Look } from "./facts.ts";
import { compareLooks, readableLooks } from "./shown-counts.ts";
import { duration, failed, inTime, moment, passed, plural, toReview, waiting, warned } from "./verdicts.ts";
import { DRILL_MS, EQUAL_AGAIN_MS } from "./windows.ts";

const REPEAT = "Start a drill with POST /api/v1/sandbox/golive/drill when your site is ready.";

/**
 * Judges the last drill of ten minutes: the partner sent requests, at most one in 15 s; from a minute after the first
 * refusal, its site showed no number, and at no time a 0 that was not the count; and within six minutes after the end,
 * it showed the right counts again. A drill that was stopped early counts only if it had a fault. A fault is cleared by
 * another drill. A link to a certificate during the drill is a warning. If there are no looks, a person has to say what
 * the site showed.
 */
export const drillCheck: Check = {
	name: "drill",
	title: "A key that is refused",
	passedWhen: `While the key is refused for ${duration(DRILL_MS)}, at most one request arrives in 15 s, and every SKU is hidden or shows no number, but never 0; within ${duration(EQUAL_AGAIN_MS)} after the drill, all counts are equal again.`,
	optional: false,
	concerns: () => true,
	judge,
	faults: (facts) => inTime(facts.drills.flatMap((drill) => drillFaults(facts, drill))),
};

const isWhole = ({ from, to }: Drill): boolean => to === null || to - from >= DRILL_MS;

function judge(facts: GoLiveFacts): CheckVerdict {
	const drill = facts.drills.findLast((one) => isWhole(one) || drillFaults(facts, one).length > 0);
	if (drill === undefined) {
		const stopped = facts.drills.at(-1);
		return stopped === undefined
			? waiting("The key has not been refused for a drill yet.", REPEAT)
			: waiting(
					`The drill of ${moment(stopped.from)} was stopped before ${duration(DRILL_MS)} had passed.`,
					REPEAT,
					stopped.from,
				);
	}
	const faults = inTime(drillFaults(facts, drill));
	const last = faults.at(-1);
	if (last !== undefined) return failed(last, faults);
	const asked = firstRefused(facts, drill);
	if (drill.to === null) {
		return waiting(
			`A drill has been under way since ${moment(drill.from)}, with nothing wrong so far.`,
			"Leave your site running until it has ended, and for ten minutes more.",
			drill.from,
			asked ? [asked.requestId] : [],
		);
	}
	if (asked === undefined) {
		return waiting(
			"No request was refused in the drill: your site did not ask, so it cannot have noticed.",
			REPEAT,
			drill.from,
		);
	}
	return judgeShown(facts, { ...drill, to: drill.to }, asked.requestId);
}

/** The verdict when the requests were right: it depends on what was shown in the drill, and after it. */
function judgeShown(facts: GoLiveFacts, drill: Drill & { readonly to: number }, asked: string): CheckVerdict {
	const hidden = looksHidden(facts, drill);
	const again = equalAgain(facts, drill);
	if (hidden.length > 0 && again !== undefined) {
		const seen = `In the drill of ${moment(drill.from)} no number was shown in ${plural(hidden.length, "look")}, and all was equal again ${duration(again.at - drill.to)} after it`;
		const ids = [asked, ...hidden.slice(-3).map(({ id }) => id), again.id];
		const linked = hidden.flatMap(({ items }) => items.filter((item) => !item.hidden && item.coaUrl !== null));
		return linked.length === 0
			? passed(`${seen}.`, again.at, ids)
			: warned(
					`${seen}, but ${linked[0]?.sku} still linked to its certificate.`,
					"Hide certificates too while the key is refused: they may have been withdrawn in the meantime.",
					again.at,
					ids,
				);
	}
	if (again === undefined && facts.now <= drill.to + EQUAL_AGAIN_MS) {
		return waiting(
			"The drill has ended; whether all is equal again is watched for 6 min.",
			"Leave your site running.",
			drill.to,
			[asked],
		);
	}
	const what = hidden.length === 0 ? "in the drill, after your site had noticed it" : "in the six minutes after it";
	const says = `The requests were right, but no look shows what your site showed ${what}.`;
	return facts.hasStatusAddress
		? waiting(says, `Answer at your status address all the time. ${REPEAT}`, drill.to, [asked])
		: toReview(
				says,
				"Let the operator look at your pages during another drill, or give the run a status address.",
				drill.to,
				[asked],
			);
}

/** The first look after the end whose counts were right again, or differed only as much as a mirror's may. */
function equalAgain(facts: GoLiveFacts, { to }: { readonly to: number }): Look | undefined {
	const looks = readableLooks(facts).filter(({ at }) => at > to && at <= to + EQUAL_AGAIN_MS);
	return compareLooks(facts, looks).find(({ kind }) => kind !== "wrong")?.look;
}
