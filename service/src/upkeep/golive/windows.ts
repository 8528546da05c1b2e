import type { FactRequest, GoLiveFacts } from "./facts.ts";

/** Units of time, in milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Maximum milliseconds between two reads of counts: five minutes (contract, section 8), and ten seconds more. */
export const FRESH_MS = 5 * MINUTE + 10 * SECOND;
/** Milliseconds that a drill lasts (operator contract, section 6). */
export const DRILL_MS = 10 * MINUTE;
/** Milliseconds after the end of a drill within which what is shown is equal again (operator contract, section 6). */
export const EQUAL_AGAIN_MS = 6 * MINUTE;
/** Milliseconds after its retirement within which a document is no longer linked (operator contract, section 6). */
export const TAKEN_DOWN_MS = 10 * MINUTE;
/** Milliseconds without another fault after which an earlier fault counts as cleared. */
export const MENDED_AFTER_MS = 10 * MINUTE;
/** Milliseconds after a reply within which other requests of the key had probably been sent before it was read. */
export const UNDER_WAY_MS = 500;

/** A time from `from` to `to`, in epoch milliseconds. */
export interface Stretch {
	readonly from: number;
	readonly to: number;
}

/** When the reply was sent. */
export const answeredAt = ({ at, ms }: FactRequest): number => at + ms;

/**
 * The drills, each with the time after it in which a partner may still recover. Only the check `drill` judges what is
 * shown, and how old the counts are, in these times.
 */
export const drillStretches = ({ drills }: GoLiveFacts): Stretch[] =>
	drills.map(({ from, to }) => ({ from, to: to === null ? Number.POSITIVE_INFINITY : to + EQUAL_AGAIN_MS }));

export const isWithin = (stretches: readonly Stretch[], at: number): boolean =>
	stretches.some(({ from, to }) => from <= at && at <= to);

/** The parts of a stretch that lie outside of all others, in the order of their times. */
export const outside = (stretch: Stretch, others: readonly Stretch[]): Stretch[] =>
	others.reduce<Stretch[]>(
		(parts, { from, to }) =>
			parts.flatMap((part) =>
				part.to <= from || to <= part.from
					? [part]
					: [
							{ from: part.from, to: from },
							{ from: to, to: part.to },
						].filter((rest) => rest.from < rest.to),
			),
		[stretch],
	);

/** The items of an ordered list whose times lie between `from` and `to`, both included. */
export function between<T extends { readonly at: number }>(list: readonly T[], from: number, to: number): readonly T[] {
	return list.slice(
		firstWhere(list, ({ at }) => at >= from),
		firstWhere(list, ({ at }) => at > to),
	);
}

/** The index of the first item that meets a condition; all later items must meet it too. */
function firstWhere<T>(list: readonly T[], holds: (one: T) => boolean): number {
	let [low, high] = [0, list.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(list[middle] as T)) high = middle;
		else low = middle + 1;
	}
	return low;
}

const sorted = <T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] =>
	list.every((one, index) => index === 0 || compare(list[index - 1] as T, one) <= 0) ? list : list.toSorted(compare);

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorted by time, then by id. */
const byTime = <T extends { readonly at: number }>(list: readonly T[], idOf: (one: T) => string): readonly T[] =>
	sorted(list, (a, b) => a.at - b.at || byText(idOf(a), idOf(b)));

const text = (value: unknown): string => JSON.stringify(value);

/** The same facts in order, whatever the order in which they were read. What is in order is not copied. */
export const inOrder = (facts: GoLiveFacts): GoLiveFacts => ({
	...facts,
	mapped: sorted(facts.mapped, byText),
	requests: byTime(facts.requests, ({ requestId }) => requestId),
	looks: byTime(facts.looks, ({ id }) => id).map((look) => ({
		...look,
		items: sorted(look.items, (a, b) => byText(text(a), text(b))),
	})),
	probes: byTime(facts.probes, ({ deliveryId }) => deliveryId),
	deliveries: byTime(facts.deliveries, ({ deliveryId }) => deliveryId),
	drills: sorted(facts.drills, (a, b) => a.from - b.from || (a.to ?? Number.MAX_VALUE) - (b.to ?? Number.MAX_VALUE)),
	unkind: facts.unkind && { ...facts.unkind, acts: byTime(facts.unkind.acts, ({ id, kind }) => `${id} ${kind}`) },
	reviews: byTime(facts.reviews, text),
});
