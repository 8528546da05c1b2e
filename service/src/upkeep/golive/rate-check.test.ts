import { describe, expect, it } from "vitest";
import { type CheckCase, factsWith, judged } from "../../../test/golive/example-facts.ts";
import { minute, request } from "../../../test/golive/example-requests.ts";
import type { FactRequest, GoLiveFacts } from "./facts.ts";
import { rateCheck } from "./rate-check.ts";
import { inOrder, MINUTE, SECOND } from "./windows.ts";

/** Requests at these milliseconds of the run, named by a letter and a number from 0. */
const asked = (letter: string, times: readonly number[], some: Partial<FactRequest> = {}): FactRequest[] =>
	times.map((ms, index) => request(`${letter}${index}`, minute(0, ms), some));
const times = (count: number, from: number, step: number): number[] =>
	Array.from({ length: count }, (_none, index) => from + index * step);
const ids = (letter: string, from: number, to: number): string[] =>
	times(to - from + 1, from, 1).map((index) => `${letter}${index}`);

const LIMITED = { status: 429, code: "rate_limited", retryAfter: 30, url: "/api/v1/orders/limited" };
/** Twenty requests in ten minutes, then a 429 whose reply is sent at 600,005 ms, then another request. */
const afterLimit = (ms: number, some: Partial<FactRequest> = {}): Partial<GoLiveFacts> => ({
	requests: [
		...asked("q", times(20, 0, 30 * SECOND)),
		request("limited", minute(10), LIMITED),
		request("next", minute(10, ms), some),
		request("last", minute(12)),
	],
});
/** 61 requests in the first 60 ms of the run, then others at these times. */
const afterCrowd = (later: readonly number[]): Partial<GoLiveFacts> => ({
	requests: [...asked("q", times(61, 0, 1)), ...asked("r", later)],
});

const RATE: readonly CheckCase[] = [
	["nothing was seen", {}, "waiting", []],
	[
		"20 requests in ten minutes are enough",
		{ requests: asked("q", [...times(19, 0, SECOND), 10 * MINUTE]) },
		"passed",
		["q0", "q19"],
	],
	["19 are not", { requests: asked("q", [...times(18, 0, SECOND), 10 * MINUTE]) }, "waiting", []],
	["nor is a millisecond less", { requests: asked("q", [...times(19, 0, SECOND), 10 * MINUTE - 1]) }, "waiting", []],
	[
		"60 requests in 60 s may be",
		{ requests: asked("q", [...times(60, 0, 1), 60 * SECOND, 10 * MINUTE]) },
		"passed",
		["q0", "q61"],
	],
	["61 are too many", { requests: asked("q", [...times(60, 0, 1), 60 * SECOND - 1]) }, "failed", ids("q", 41, 60)],
	["after a 429 its Retry-After has passed", afterLimit(30_005), "passed", ["q0", "limited"]],
	["a timer may be 10 ms early", afterLimit(29_995), "passed", ["q0", "limited"]],
	["but not 11 ms", afterLimit(29_994), "failed", ["limited", "next"]],
	["what arrived before the 429 could be read is not meant", afterLimit(505), "passed", ["q0", "limited"]],
	["what came later is", afterLimit(506), "failed", ["limited", "next"]],
	["and so is the same request at once", afterLimit(100, { url: LIMITED.url }), "failed", ["limited", "next"]],
	["a fault stays for ten minutes", afterCrowd([...times(18, 60_060, 30_000), 600_059]), "failed", ids("q", 41, 60)],
	["then 20 good requests pass", afterCrowd([...times(19, 60_060, 30_000), 600_061]), "passed", ["r0", "r19"]],
	["and fewer are waited for", afterCrowd(times(5, 120_060, 120_000)), "waiting", []],
	["a partner that stops stays failed", { ...afterCrowd([]), now: minute(10_000) }, "failed", ids("q", 41, 60)],
];

describe("rate", () => {
	it.each(RATE)("%s", (_name, some, verdict, evidence) => {
		expect(judged(rateCheck, some)).toEqual([verdict, evidence]);
	});

	it("says how many requests came, and what to do", () => {
		const { says, cure } = rateCheck.judge(inOrder(factsWith(afterCrowd([]))));
		expect(says).toBe("61 requests arrived in the 60 s up to 2026-12-01T08:00:00.060Z; at most 60 may.");
		expect(cure).toContain("Send at most 60 requests in any 60 s");
		expect(cure).toContain("with the SDK set requestsPerMinute: 60.");
	});
});
