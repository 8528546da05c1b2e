import { describe, expect, it } from "vitest";
import { type CheckCase, judged, verdictOn } from "../../../test/golive/example-facts.ts";
import { cancel, minute, products, request, reserve } from "../../../test/golive/example-requests.ts";
import { goodRun } from "../../../test/golive/good-run.ts";
import type { FactRequest, GoLiveFacts } from "./facts.ts";
import { unkindCheck } from "./unkind-check.ts";
import { SECOND } from "./windows.ts";

const UNKIND = goodRun();
const ACTED = ["u1", "u3", "u5", "d0", "d1"];
const unkindly = (
	some: Partial<NonNullable<GoLiveFacts["unkind"]>>,
	more: readonly FactRequest[] = [],
): Partial<GoLiveFacts> => ({
	...UNKIND,
	requests: [...UNKIND.requests, ...more],
	unkind: UNKIND.unkind && { ...UNKIND.unkind, ...some },
});
const without = (kind: string) => ({ acts: UNKIND.unkind?.acts.filter((act) => act.kind !== kind) ?? [] });
/** The write that was answered with a new field is sent again, `ms` milliseconds after its reply. */
const broken = (ms: number): FactRequest => ({ ...reserve("x", minute(145, 5 + ms), "cart-9", "h9", true) });
const hammer = (at: number): FactRequest[] =>
	Array.from({ length: 61 }, (_none, index) => request(`h${index}`, at + index * 10));

const UNKIND_CASES: readonly CheckCase[] = [
	["there was none", {}, "waiting", []],
	["all was right", UNKIND, "passed", ACTED],
	["it is under way", unkindly({ to: null }), "waiting", ACTED],
	["it lasted a millisecond less than an hour", unkindly({ to: minute(180) - 1 }), "waiting", ACTED],
	["no request was answered retry", unkindly(without("retry")), "waiting", ["u3", "u5", "d0", "d1"]],
	["no event was sent twice", unkindly(without("event_twice")), "waiting", ["u1", "u3", "u5", "d0"]],
	[
		"without an endpoint there are no events",
		{ ...unkindly(without("event_twice")), hasEndpoint: false },
		"passed",
		["u1", "u3", "u5", "d0"],
	],
	[
		"a check above fails in it, and is mended",
		unkindly({}, hammer(minute(125))),
		"failed",
		Array.from({ length: 20 }, (_none, index) => `h${index + 41}`),
	],
	["what was wrong before it does not matter", unkindly({}, hammer(minute(60))), "passed", ACTED],
	["a write with a new field comes again", unkindly({}, [broken(10 * SECOND)]), "failed", ["u5", "x"]],
	[
		"one write of several with a new field comes again, as after a lost reply",
		unkindly({ acts: [...(UNKIND.unkind?.acts ?? []), { id: "y", kind: "new_field", at: minute(146) }] }, [
			broken(10 * SECOND),
			reserve("y", minute(146), "cart-10", "h10", false),
		]),
		"passed",
		["u1", "u3", "u5", "y", "d0", "d1"],
	],
	["later it is no sign of it", unkindly({}, [broken(10 * SECOND + 1)]), "passed", ACTED],
	[
		"an event that is sent twice is acted upon twice",
		unkindly({}, [cancel("w1", minute(152, 2_000), "o3"), cancel("w2", minute(153, 2_000), "o3")]),
		"failed",
		["d1", "w1", "w2"],
	],
	[
		"the Retry-After of a 429 is not kept",
		unkindly({}, [products("x", minute(141, 3_000), {})]),
		"failed",
		["u3", "x"],
	],
];

describe("unkind", () => {
	it.each(UNKIND_CASES)("%s", (_name, some, verdict, evidence) => {
		expect(judged(unkindCheck, some)).toEqual([verdict, evidence]);
	});

	it("says which check found something", () => {
		expect(verdictOn(unkindCheck, unkindly({}, hammer(minute(125)))).says).toContain("Rate of requests: 61 requests");
	});
});
