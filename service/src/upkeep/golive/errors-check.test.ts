import { describe, expect, it } from "vitest";
import { type Case, judged, verdictOn } from "../../../test/golive/example-facts.ts";
import { failing, minute, refused, request, reserve, reserveOf } from "../../../test/golive/example-requests.ts";
import { errorsCheck } from "./errors-check.ts";
import type { FactRequest } from "./facts.ts";

const RETRY = refused("a1", minute(44), "retry", "cart-4");
const RETRIED = [RETRY, refused("a2", minute(44, 2_000), "retry", "cart-4")];
const LEFT = refused("b1", minute(43), "no_inventory", "cart-3");
/** A reserve like the one that was answered `retry`, `ms` milliseconds after its reply, and answered 201. */
const again = (ms: number): FactRequest => ({
	...RETRY,
	requestId: "a2",
	at: RETRY.at + RETRY.ms + ms,
	status: 201,
	code: null,
});
/** A reserve that is refused for lack of stock, `ms` milliseconds after the reply to the first one. */
const repeatedAfter = (ms: number, reference = "cart-3"): FactRequest =>
	refused("b2", LEFT.at + LEFT.ms + ms, "no_inventory", reference);
const FIVE_MINUTES = 5 * 60_000;
const LOST = failing(reserve("s1", minute(80), "cart-8", "h8"), 500, "internal_error");
const FOUND = request("s2", minute(81), { operation: "findHold", url: "/api/v1/holds?external_ref=cart-8" });
const PAIR = [...RETRIED, LEFT];

const ERROR_CASES: readonly Case[] = [
	["nothing was seen", [], "waiting", []],
	["both refusals are handled", PAIR, "passed", ["a1", "a2", "b1"]],
	["no_inventory was not seen", RETRIED, "waiting", ["a1", "a2"]],
	["retry was not seen", [LEFT], "waiting", ["b1"]],
	["five minutes are soon enough after retry", [again(FIVE_MINUTES), RETRY, LEFT], "passed", ["a1", "a2", "b1"]],
	["a millisecond more is not", [again(FIVE_MINUTES + 1), RETRY, LEFT], "failed", ["a1"]],
	["they are waited for", [RETRY, LEFT], "waiting", ["b1"], { now: RETRY.at + RETRY.ms + FIVE_MINUTES }],
	["but not longer", [RETRY, LEFT], "failed", ["a1"], { now: RETRY.at + RETRY.ms + FIVE_MINUTES + 1 }],
	[
		"a new reference is not the same request",
		[RETRY, { ...again(2_000), body: { ...(again(0).body as object), external_ref: "cart-44" } }, LEFT],
		"failed",
		["a1", "a2"],
	],
	[
		"a later retry that is sent again mends it",
		[RETRY, refused("a3", minute(60), "retry", "cart-5"), refused("a4", minute(60, 2_000), "retry", "cart-5"), LEFT],
		"passed",
		["a3", "a4", "b1"],
	],
	["a repeat a second after no_inventory may be", [...PAIR, repeatedAfter(1_000)], "passed", ["a1", "a2", "b2"]],
	["a millisecond less may not", [...PAIR, repeatedAfter(999)], "failed", ["b1", "b2"]],
	["what was sent before the answer is no repeat", [...PAIR, repeatedAfter(-1)], "passed", ["a1", "a2", "b2"]],
	["another customer's is none", [...PAIR, repeatedAfter(10, "cart-33")], "passed", ["a1", "a2", "b2"]],
	[
		"nor is one for fewer",
		[...PAIR, reserveOf("b2", LEFT.at + 20, { items: [], external_ref: "cart-3" })],
		"passed",
		["a1", "a2", "b1"],
	],
	[
		"a later one that is left alone mends it",
		[...PAIR, repeatedAfter(999), refused("b3", minute(60), "no_inventory", "cart-9")],
		"passed",
		["a1", "a2", "b3"],
	],
	[
		"the reference comes again after a 500",
		[...PAIR, LOST, reserve("s2", minute(81), "cart-8", "h8", true)],
		"passed",
		["a1", "a2", "b1", "s1", "s2"],
	],
	["or is asked for", [...PAIR, LOST, FOUND], "passed", ["a1", "a2", "b1", "s1", "s2"]],
	["it does not", [...PAIR, LOST], "failed", ["s1"]],
	["another reference comes", [...PAIR, LOST, reserve("s2", minute(81), "cart-9", "h9")], "failed", ["s1", "s2"]],
	[
		"without a reference it is not judged",
		[...PAIR, { ...LOST, body: { items: [] }, about: [] }],
		"passed",
		["a1", "a2", "b1"],
	],
	["a read is not", [...PAIR, request("s1", minute(80), { status: 500 })], "passed", ["a1", "a2", "b1"]],
	[
		"a later retry mends it",
		[LOST, ...PAIR].map((one) => (one === LOST ? { ...one, at: minute(20) } : one)),
		"passed",
		["a1", "a2", "b1"],
	],
];

describe("errors", () => {
	it.each(
		ERROR_CASES.map(
			([title, requests, verdict, evidence, some = {}]) => [title, { ...some, requests }, verdict, evidence] as const,
		),
	)("%s", (_name, some, verdict, evidence) => {
		expect(judged(errorsCheck, some)).toEqual([verdict, evidence]);
	});

	it("says how soon a refusal was repeated", () => {
		const { says } = verdictOn(errorsCheck, { requests: [...PAIR, repeatedAfter(999)] });
		expect(says).toContain("and the same request was sent again 999 ms later.");
	});
});
