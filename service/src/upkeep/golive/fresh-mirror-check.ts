import { askedSkus, readsCounts } from "./counts-read.ts";
import type { Check, CheckVerdict, FactRequest, Fault, GoLiveFacts } from "./facts.ts";
import { duration, failed, moment, passed, waiting, warned } from "./verdicts.ts";
import { drillStretches, FRESH_MS, HOUR, MENDED_AFTER_MS, outside } from "./windows.ts";

/** Milliseconds that are required without a gap (operator contract, section 6). */
const ENOUGH_MS = HOUR;
const CURE = `Read the counts of all your SKUs at least every 5 min, day and night; one read of products has them all.`;

/**
 * In 60 minutes there is no gap above 5 min 10 s between two answered reads of counts; the time since the last read
 * counts as a gap, too. A drill and the six minutes after it are left out. A gap is cleared when ten minutes of reads
 * without another gap have followed it; then the check waits for the 60 minutes again. A mapped SKU that was read less
 * often than the others is a warning, because the contract's rule is about reads, not about SKUs.
 */
export const freshMirrorCheck: Check = {
	name: "mirror_fresh",
	title: "Counts are refreshed",
	passedWhen: `Over ${duration(ENOUGH_MS)} no two reads of counts are more than ${duration(FRESH_MS)} apart.`,
	optional: false,
	concerns: () => true,
	judge,
	faults: (facts) => waitsOf(facts).filter(isGap).map(faultOf),
};

/** A time between two reads, or from the last read until now. */
interface Wait {
	readonly from: number;
	readonly to: number;
	readonly before: FactRequest;
	/** Null: there was none since. */
	readonly after: FactRequest | null;
}

const isGap = ({ from, to }: Wait): boolean => to - from > FRESH_MS;

function waitsOf(facts: GoLiveFacts): Wait[] {
	const reads = facts.requests.filter(readsCounts);
	const drills = drillStretches(facts);
	if (reads.length < 2) return [];
	return reads.flatMap((before, index) => {
		const after = reads[index + 1] ?? null;
		const stretch = { from: before.at, to: Math.max(before.at, after?.at ?? facts.now) };
		return outside(stretch, drills).map(({ from, to }) => ({ from, to, before, after }));
	});
}

const faultOf = ({ from, to, before, after }: Wait): Fault => ({
	at: from + FRESH_MS,
	evidence: after === null ? [before.requestId] : [before.requestId, after.requestId],
	says: `No counts were read for ${duration(to - from)}, from ${moment(from)} to ${after === null ? "now" : moment(to)}; at most ${duration(FRESH_MS)} may pass.`,
	cure: CURE,
});

function judge(facts: GoLiveFacts): CheckVerdict {
	const waits = waitsOf(facts);
	if (waits.length === 0) return waiting("Fewer than two reads of counts were answered yet.", CURE);
	const gaps = waits.filter(isGap);
	const lastGap = gaps.at(-1);
	const good = waits
		.slice(lastGap === undefined ? 0 : waits.indexOf(lastGap) + 1)
		.filter(({ after }) => after !== null);
	const span = lengthOf(good);
	if (lastGap !== undefined && span < MENDED_AFTER_MS) return failed(faultOf(lastGap));
	const [first, last] = [good[0], good.at(-1)];
	const longest = good.reduce((most, { from, to }) => Math.max(most, to - from), 0);
	const seen = `Counts were read for ${duration(span)}, never more than ${duration(longest)} apart`;
	if (first === undefined || last === undefined || span < ENOUGH_MS) {
		return waiting(`${seen}; ${duration(ENOUGH_MS)} are needed.`, CURE, first?.from ?? null);
	}
	const ids = [first.before.requestId, (last.after ?? last.before).requestId];
	const since = enoughAt(good);
	const seldom = seldomRead(facts, good);
	if (seldom.length === 0) return passed(`${seen}.`, since, ids);
	const which = `${seldom.join(", ")} ${seldom.length === 1 ? "was" : "were"} not read for more than ${duration(FRESH_MS)}`;
	return warned(`${seen}. But within the last hour of that, ${which}.`, CURE, since, ids);
}

const lengthOf = (waits: readonly Wait[]): number => waits.reduce((sum, { from, to }) => sum + to - from, 0);

/** When the 60 minutes were complete. */
function enoughAt(good: readonly Wait[]): number {
	let [at, left] = [0, ENOUGH_MS];
	for (const { from, to } of good) {
		if (left > 0) at = Math.min(to, from + left);
		left -= to - from;
	}
	return at;
}

/** The mapped SKUs that were not read often enough within the last 60 minutes without a gap. */
function seldomRead(facts: GoLiveFacts, good: readonly Wait[]): readonly string[] {
	const to = good.at(-1)?.to ?? 0;
	let [from, span] = [to, 0];
	for (const wait of good.toReversed()) {
		if (span >= ENOUGH_MS) break;
		[from, span] = [wait.from, span + wait.to - wait.from];
	}
	const drills = drillStretches(facts);
	const reads = facts.requests
		.filter((request) => request.at >= from && request.at <= to && readsCounts(request))
		.map((request) => ({ at: request.at, skus: askedSkus(request) }));
	return facts.mapped.filter((sku) => {
		const times = reads.filter(({ skus }) => skus === null || skus.includes(sku)).map(({ at }) => at);
		return [...times, to].some((time, index) =>
			outside({ from: times[index - 1] ?? from, to: time }, drills).some((part) => part.to - part.from > FRESH_MS),
		);
	});
}
