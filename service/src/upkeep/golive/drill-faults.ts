import { isToRun } from "./content.ts";
import type { Drill, FactRequest, Fault, GoLiveFacts, Look, ShownItem } from "./facts.ts";
import { compareLooks, readableLooks } from "./shown-counts.ts";
import { duration, moment, plural } from "./verdicts.ts";
import { answeredAt, EQUAL_AGAIN_MS, MINUTE, SECOND, UNDER_WAY_MS } from "./windows.ts";

/** Milliseconds in which the partner may send at most one request (operator contract, section 6). */
const ONE_IN_MS = 15 * SECOND;
/** Milliseconds after the first refusal within which numbers disappear. The operator contract has no figure for it. */
const HIDDEN_WITHIN_MS = MINUTE;
const UNAUTHORIZED = 401;

/** What was wrong in a drill, and after it. */
export const drillFaults = (facts: GoLiveFacts, drill: Drill): Fault[] => [
	...tooOften(facts, drill),
	...numbersShown(facts, drill),
	...stillUnequal(facts, drill),
];

const endOf = ({ to }: Drill): number => to ?? Number.POSITIVE_INFINITY;

/** The requests of the drill, from the first that was refused. */
function refusedRequests({ requests }: GoLiveFacts, drill: Drill): FactRequest[] {
	const within = requests.filter((one) => one.at >= drill.from && one.at < endOf(drill) && !isToRun(one));
	const first = within.findIndex(({ status }) => status === UNAUTHORIZED);
	return first < 0 ? [] : within.slice(first);
}

export const firstRefused = (facts: GoLiveFacts, drill: Drill): FactRequest | undefined =>
	refusedRequests(facts, drill)[0];

/** Requests that came too soon after another one; those that were sent together with it do not count. */
function tooOften(facts: GoLiveFacts, drill: Drill): Fault[] {
	const requests = refusedRequests(facts, drill);
	const soon: FactRequest[] = [];
	let [before] = requests;
	let shortest = ONE_IN_MS;
	for (const request of requests.slice(1)) {
		if (before === undefined || request.at <= answeredAt(before) + UNDER_WAY_MS) continue;
		if (request.at - before.at < ONE_IN_MS) soon.push(before, request);
		shortest = Math.min(shortest, request.at - before.at);
		before = request;
	}
	const last = soon.at(-1);
	if (last === undefined) return [];
	return [
		{
			at: last.at,
			evidence: soon.map(({ requestId }) => requestId),
			says: `While the key was refused, requests came ${duration(shortest)} apart; at most one in ${duration(ONE_IN_MS)} may.`,
			cure: "After a 401 ask again at your usual pace, or more slowly, and at most once in 15 s over all processes that use the key.",
		},
	];
}

/** The looks of a drill more than `graceMs` after the reply to its first refused request. */
const looksSince = (facts: GoLiveFacts, drill: Drill, graceMs: number): Look[] => {
	const first = firstRefused(facts, drill);
	if (first === undefined) return [];
	const from = answeredAt(first) + graceMs;
	return readableLooks(facts).filter(({ at }) => at > from && at < endOf(drill));
};

/** The looks of a drill that show whether the site has hidden its numbers. */
export const looksHidden = (facts: GoLiveFacts, drill: Drill): Look[] => looksSince(facts, drill, HIDDEN_WITHIN_MS);

/**
 * Faults: a 0 that is not the count, as soon as the key was refused, and any number after a minute. A 0 that is the
 * count may be shown within that minute: the site may not have noticed the drill yet.
 */
function numbersShown(facts: GoLiveFacts, drill: Drill): Fault[] {
	const hidden = new Set(looksHidden(facts, drill));
	return looksSince(facts, drill, 0).flatMap((look) => {
		const isWrong = (item: ShownItem): boolean =>
			(item.shownQty === 0 && look.counts.get(item.sku) !== 0) ||
			(hidden.has(look) && !item.hidden && item.shownQty !== null);
		const wrong = look.items.filter(isWrong);
		const [worst] = [...wrong.filter(({ shownQty }) => shownQty === 0), ...wrong];
		if (worst === undefined) return [];
		return {
			at: look.at,
			evidence: [look.id],
			says: `While the key was refused, ${worst.sku} was shown with ${worst.shownQty} at ${moment(look.at)}${wrong.length > 1 ? `, and ${plural(wrong.length - 1, "other SKU")} with a number` : ""}.`,
			cure: "After a 401 or 403 hide the count of every SKU (hidden: true or shown_qty: null) and alert a person. A refusal says nothing about stock: never show 0 for it.",
		};
	});
}

/** A fault if the first look after the six minutes differs, and none within them was equal. */
function stillUnequal(facts: GoLiveFacts, { from, to }: Drill): Fault[] {
	if (to === null) return [];
	const next = facts.drills.find((drill) => drill.from > from)?.from ?? Number.POSITIVE_INFINITY;
	const due = to + EQUAL_AGAIN_MS;
	const after = readableLooks(facts).filter(({ at }) => at > to && at < next);
	const untilDue = compareLooks(
		facts,
		after.filter(({ at }) => at <= due),
	);
	const first = after.find(({ at }) => at >= due);
	const [late] = first === undefined ? [] : compareLooks(facts, [first]);
	if (untilDue.some(({ kind }) => kind !== "wrong") || late?.kind !== "wrong") return [];
	return [
		{
			at: late.look.at,
			evidence: [late.look.id],
			says: `${duration(late.look.at - to)} after the end of the drill, ${late.differences[0]}; ${duration(EQUAL_AGAIN_MS)} after it all has to be equal again.`,
			cure: "Go on asking while the key is refused, and show counts again as soon as a read of them is answered.",
		},
	];
}
