import { sameness } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, Fault, GoLiveFacts } from "./facts.ts";
import { duration, failed, inTime, moment, passed, plural, waiting } from "./verdicts.ts";
import { answeredAt, MENDED_AFTER_MS, MINUTE, SECOND, UNDER_WAY_MS } from "./windows.ts";

/**
 * Milliseconds of the window, and the maximum number of requests in it (contract, section 8; operator contract, section
 * 6).
 */
const WINDOW_MS = 60 * SECOND;
const MOST_IN_WINDOW = 60;
/** Milliseconds of activity, and the number of requests in them, that are enough to pass. */
const ENOUGH_MS = 10 * MINUTE;
const ENOUGH_REQUESTS = 20;
/** Milliseconds by which the log rounds, and by which a timer may be early. */
const EARLY_MS = 10;

/**
 * Never more than 60 requests in 60 s, and after each 429 none before its Retry-After has passed. A fault is cleared by
 * ten minutes of requests without another fault: a partner that refreshes too fast has one at least every five minutes,
 * so its faults are never cleared.
 */
export const rateCheck: Check = {
	name: "rate",
	title: "Rate of requests",
	passedWhen: `There are never more than ${MOST_IN_WINDOW} requests in 60 s, and nothing is sent after a 429 until its Retry-After has passed.`,
	optional: false,
	concerns: () => true,
	judge,
	faults: ({ requests }) => inTime([...crowds(requests), ...hasty(requests)]),
};

function judge(facts: GoLiveFacts): CheckVerdict {
	const { requests } = facts;
	const [first, last] = [requests[0], requests.at(-1)];
	const cure = `Let your site run against the sandbox for ${duration(ENOUGH_MS)} or more.`;
	if (first === undefined || last === undefined) return waiting("No request of the key was seen yet.", cure);
	const faults = rateCheck.faults(facts);
	const fault = faults.at(-1);
	if (fault !== undefined && last.at - fault.at < MENDED_AFTER_MS) {
		const recent = faults.filter(({ at }) => last.at - at < MENDED_AFTER_MS);
		return failed(fault, recent);
	}
	const from = fault?.at ?? first.at;
	const good = fault === undefined ? requests : requests.filter(({ at }) => at > fault.at);
	const enough = good.find(({ at }, index) => index + 1 >= ENOUGH_REQUESTS && at - from >= ENOUGH_MS);
	const waits = good.filter(({ status }) => status === 429).length;
	const seen = `${plural(good.length, "request")} in ${duration(last.at - from)}, at most ${most(good)} in 60 s`;
	const since = fault === undefined ? "" : ` since the last fault at ${moment(fault.at)}`;
	if (enough === undefined) {
		const wanted = `${ENOUGH_REQUESTS} requests in ${duration(ENOUGH_MS)} or more are needed`;
		return waiting(`The key sent ${seen}${since}; ${wanted}.`, cure, from);
	}
	const obeyed =
		waits === 0 ? "" : ` ${plural(waits, "reply was", "replies were")} 429, and each Retry-After was kept.`;
	return passed(`The key sent ${seen}${since}.${obeyed}`, enough.at, [
		...(good[0] ? [good[0].requestId] : []),
		enough.requestId,
	]);
}

/** The maximum number of requests in a window. */
function most(requests: readonly FactRequest[]): number {
	let [first, found] = [0, 0];
	for (const [last, { at }] of requests.entries()) {
		while (at - (requests[first] as FactRequest).at >= WINDOW_MS) first++;
		found = Math.max(found, last - first + 1);
	}
	return found;
}

/** Windows with too many requests; those that follow one another within a window are one fault. */
function crowds(requests: readonly FactRequest[]): Fault[] {
	const crowded: { at: number; peak: number; upTo: number }[] = [];
	let first = 0;
	for (const [last, { at }] of requests.entries()) {
		while (at - (requests[first] as FactRequest).at >= WINDOW_MS) first++;
		const count = last - first + 1;
		if (count <= MOST_IN_WINDOW) continue;
		const open = crowded.at(-1);
		if (open === undefined || at - open.at >= WINDOW_MS) crowded.push({ at, peak: count, upTo: last });
		else {
			open.at = at;
			if (count > open.peak) [open.peak, open.upTo] = [count, last];
		}
	}
	return crowded.map(({ at, peak, upTo }) => ({
		at,
		evidence: requests.slice(Math.max(0, upTo - peak + 1), upTo + 1).map(({ requestId }) => requestId),
		says: `${peak} requests arrived in the 60 s up to ${moment(requests[upTo]?.at ?? at)}; at most ${MOST_IN_WINDOW} may.`,
		cure: `Send at most ${MOST_IN_WINDOW} requests in any 60 s, counted over all processes that use the key. The header RateLimit of each reply has what is left (r) and for how many seconds (t); one read of products replaces many of inventory. A key whose own limit is higher is graded by ${MOST_IN_WINDOW} all the same: with the SDK set requestsPerMinute: ${MOST_IN_WINDOW}.`,
	}));
}

/** A 429, the time at which its Retry-After has passed, and the requests that did not wait for it. */
interface Refused {
	readonly refused: FactRequest;
	until: number;
	readonly early: FactRequest[];
}

/**
 * Requests before the Retry-After of a 429 had passed. Those that arrived while the 429 was in transit do not count,
 * unless they are the same request again.
 */
function hasty(requests: readonly FactRequest[]): Fault[] {
	const all: Refused[] = [];
	let open: Refused | undefined;
	for (const request of requests) {
		if (open && request.at >= open.until - EARLY_MS) open = undefined;
		if (open && !wasUnderWay(request, open.refused)) open.early.push(request);
		if (request.status !== 429 || request.retryAfter === null) continue;
		const until = answeredAt(request) + request.retryAfter * SECOND;
		if (open) open.until = Math.max(open.until, until);
		else {
			open = { refused: request, until, early: [] };
			all.push(open);
		}
	}
	return all.flatMap(({ refused, early }) => {
		const [first, last] = [early[0], early.at(-1)];
		if (first === undefined || last === undefined) return [];
		const waited = duration(Math.max(0, first.at - answeredAt(refused)));
		return {
			at: last.at,
			evidence: [refused.requestId, ...early.map(({ requestId }) => requestId)],
			says: `${refused.requestId} was answered 429 with Retry-After: ${refused.retryAfter}, and ${plural(early.length, "request")} came before that had passed, the first after ${waited}.`,
			cure: "After a 429, send nothing with this key, from any process, until as many seconds as Retry-After says have passed.",
		};
	});
}

const wasUnderWay = (request: FactRequest, refused: FactRequest): boolean =>
	request.at <= answeredAt(refused) ||
	(request.at <= answeredAt(refused) + UNDER_WAY_MS && sameness(request) !== sameness(refused));
