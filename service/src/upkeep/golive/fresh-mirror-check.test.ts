import { describe, expect, it } from "vitest";
import { type CheckCase, factsWith, judged } from "../../../test/golive/example-facts.ts";
import { minute, products } from "../../../test/golive/example-requests.ts";
import { countsAt } from "../../../test/golive/good-run.ts";
import type { FactRequest, GoLiveFacts } from "./facts.ts";
import { freshMirrorCheck } from "./fresh-mirror-check.ts";
import { inOrder, MINUTE, SECOND } from "./windows.ts";

const times = (count: number, from: number, step: number): number[] =>
	Array.from({ length: count }, (_none, index) => from + index * step);
/** Milliseconds that may pass between two reads. */
const FRESH = 310 * SECOND;
const read = (ms: number, some: Partial<FactRequest> = {}): FactRequest =>
	products(`at-${ms}`, minute(0, ms), countsAt(0), some);
/** Reads at these times; the facts are read `laterMs` after the last of them. */
const reads = (at: readonly number[], laterMs = 0, some: Partial<GoLiveFacts> = {}): Partial<GoLiveFacts> => ({
	requests: at.map((ms) => read(ms)),
	now: minute(0, (at.at(-1) ?? 0) + laterMs),
	...some,
});
const HOUR_OF_READS = times(13, 0, 5 * MINUTE);
/** A gap of 11 min between two reads, and further reads. */
const afterGap = (more: readonly number[]): Partial<GoLiveFacts> =>
	reads([0, 11 * MINUTE, ...more.map((ms) => 11 * MINUTE + ms)]);
/** Reads up to a drill from minute 60 to 70, and again from `ms` milliseconds after its end. */
const aroundDrill = (ms: number): Partial<GoLiveFacts> =>
	reads([...HOUR_OF_READS, ...times(3, 70 * MINUTE + ms, 5 * MINUTE)], 0, {
		drills: [{ from: minute(60), to: minute(70) }],
	});

const FRESH_CASES: readonly CheckCase[] = [
	["nothing was seen", {}, "waiting", []],
	["one read shows no pace", reads([0], 100 * MINUTE), "waiting", []],
	["60 minutes are enough", reads(HOUR_OF_READS), "passed", ["at-0", "at-3600000"]],
	["a millisecond less is not", reads([...HOUR_OF_READS.slice(0, -1), 60 * MINUTE - 1]), "waiting", []],
	["5 min 10 s may pass between two reads", reads(times(13, 0, FRESH)), "passed", ["at-0", "at-3720000"]],
	[
		"a millisecond more may not",
		reads([...HOUR_OF_READS, 60 * MINUTE + FRESH + 1]),
		"failed",
		["at-3600000", "at-3910001"],
	],
	["the time since the last read counts", reads(HOUR_OF_READS, FRESH + 1), "failed", ["at-3600000"]],
	["up to 5 min 10 s", reads(HOUR_OF_READS, FRESH), "passed", ["at-0", "at-3600000"]],
	["a gap is mended by ten minutes of reads", afterGap([5 * MINUTE, 10 * MINUTE]), "waiting", []],
	["not by less", afterGap([5 * MINUTE, 10 * MINUTE - 1]), "failed", ["at-0", "at-660000"]],
	["and passes after 60 more", afterGap(times(12, 5 * MINUTE, 5 * MINUTE)), "passed", ["at-660000", "at-4260000"]],
	[
		"a read that was refused is none",
		{
			...reads(HOUR_OF_READS),
			requests: HOUR_OF_READS.map((ms) => read(ms, ms === 30 * MINUTE ? { status: 500 } : {})),
		},
		"waiting",
		[],
	],
	[
		"a 304 is one",
		{ ...reads(HOUR_OF_READS), requests: HOUR_OF_READS.map((ms) => read(ms, { status: 304, reply: null })) },
		"passed",
		["at-0", "at-3600000"],
	],
	["a drill and six minutes more are left out", aroundDrill(6 * MINUTE + FRESH), "passed", ["at-0", "at-5470000"]],
	["a millisecond beyond is not", aroundDrill(6 * MINUTE + FRESH + 1), "waiting", []],
	[
		"a SKU that is not read is a warning",
		{
			...reads(HOUR_OF_READS),
			requests: HOUR_OF_READS.map((ms) => read(ms, { operation: "inventory", url: "/api/v1/inventory?sku=SBX-LOW" })),
		},
		"warning",
		["at-0", "at-3600000"],
	],
];

describe("mirror_fresh", () => {
	it.each(FRESH_CASES)("%s", (_name, some, verdict, evidence) => {
		expect(judged(freshMirrorCheck, some)).toEqual([verdict, evidence]);
	});

	it("says how long no counts were read", () => {
		const { says } = freshMirrorCheck.judge(inOrder(factsWith(reads(HOUR_OF_READS, 311 * SECOND))));
		expect(says).toBe(
			"No counts were read for 5 min 11 s, from 2026-12-01T09:00:00.000Z to now; at most 5 min 10 s may pass.",
		);
	});
});
