import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minute } from "../../../test/golive/example-requests.ts";
import { goodRun } from "../../../test/golive/good-run.ts";
import { WRONG_PARTNERS } from "../../../test/golive/wrong-partners.ts";
import { judgeAll } from "./checks.ts";
import { CHECKS, type CheckName, type GoLiveFacts } from "./facts.ts";

const RUNS = 5;
const run = goodRun();

/** The checks that have this verdict. */
const having = (facts: GoLiveFacts, word: string): CheckName[] =>
	judgeAll(facts)
		.filter(({ verdict }) => verdict === word)
		.map(({ check }) => check);

describe("The order of the facts", () => {
	const shuffled = <T>(list: readonly T[]): fc.Arbitrary<readonly T[]> =>
		fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
	const inAnyOrder = (facts: GoLiveFacts): fc.Arbitrary<GoLiveFacts> =>
		fc
			.record({
				mapped: shuffled(facts.mapped),
				requests: shuffled(facts.requests),
				looks: shuffled(facts.looks.map((one) => ({ ...one, items: one.items.toReversed() }))),
				probes: shuffled(facts.probes),
				deliveries: shuffled(facts.deliveries),
				drills: shuffled(facts.drills),
				acts: shuffled(facts.unkind?.acts ?? []),
			})
			.map(({ acts, ...lists }) => ({ ...facts, ...lists, unkind: facts.unkind && { ...facts.unkind, acts } }));

	it.each([["does everything right", run, ""] as const, ...WRONG_PARTNERS])(
		"changes no verdict on a partner that %s",
		(_what, facts) => {
			const verdicts = judgeAll(facts);
			fc.assert(
				fc.property(inAnyOrder(facts), (others) => {
					expect(judgeAll(others)).toEqual(verdicts);
				}),
				{ numRuns: RUNS },
			);
		},
	);
});

describe("The time of a verdict", () => {
	/** The facts of a run as they were known at an earlier time. */
	const asOf = (facts: GoLiveFacts, now: number): GoLiveFacts => {
		const known = <T extends { readonly at: number }>(list: readonly T[]): T[] => list.filter(({ at }) => at <= now);
		const ended = (to: number | null): number | null => (to !== null && to <= now ? to : null);
		const { unkind, retirement } = facts;
		return {
			...facts,
			now,
			requests: known(facts.requests),
			looks: known(facts.looks),
			probes: known(facts.probes),
			deliveries: known(facts.deliveries),
			drills: facts.drills.filter(({ from }) => from <= now).map(({ from, to }) => ({ from, to: ended(to) })),
			unkind: unkind && unkind.from <= now ? { ...unkind, to: ended(unkind.to), acts: known(unkind.acts) } : null,
			retirement: retirement && retirement.at <= now ? retirement : null,
		};
	};

	it("a partner that does everything right fails no check at any time", () => {
		const minutes = Array.from({ length: 201 }, (_none, index) => index);
		expect(minutes.flatMap((at) => having(asOf(run, minute(at)), "failed"))).toEqual([]);
	});

	it("no verdict rests on what is later than itself", () => {
		for (const at of [31, 65, 101, 115, 150]) {
			for (const { since } of judgeAll(asOf(run, minute(at)))) expect(since ?? 0).toBeLessThanOrEqual(minute(at));
		}
	});
});

describe("Bodies and replies", () => {
	it("may be anything, or missing", () => {
		fc.assert(
			fc.property(fc.array(fc.jsonValue(), { minLength: 2, maxLength: 20 }), (values) => {
				const requests = run.requests.map((one, index) => ({
					...one,
					body: values[index % values.length],
					reply: values[(index * 7 + 1) % values.length],
				}));
				expect(judgeAll({ ...run, requests })).toHaveLength(CHECKS.length);
			}),
			{ numRuns: RUNS },
		);
	});
});
