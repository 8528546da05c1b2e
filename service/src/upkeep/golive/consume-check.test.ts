import { describe, expect, it } from "vitest";
import { type Case, judged, verdictOn } from "../../../test/golive/example-facts.ts";
import { consume, failing, minute, reverse } from "../../../test/golive/example-requests.ts";
import { consumeCheck } from "./consume-check.ts";

const CONSUMED = consume("c-1", minute(60), { reservation_token: "h7", external_ref: "sale-7" });
const REVERSED = reverse("c-2", minute(61), { external_ref: "sale-7" });
const CONSUME_CASES: readonly Case[] = [
	["nothing was seen", [], "waiting", []],
	["a consume is reversed", [CONSUMED, REVERSED], "passed", ["c-1", "c-2"]],
	["it is not yet", [CONSUMED], "waiting", ["c-1"]],
	[
		"another reference is reversed",
		[CONSUMED, failing(reverse("c-2", minute(61), { external_ref: "sale-8" }), 404, "not_found")],
		"waiting",
		["c-1", "c-2"],
	],
	["the reverse comes first", [CONSUMED, { ...REVERSED, at: minute(59) }], "waiting", ["c-1"]],
	["the consume is refused", [failing(CONSUMED, 410, "wrong_state"), REVERSED], "waiting", []],
];

describe("consume", () => {
	it.each(
		CONSUME_CASES.map(
			([title, requests, verdict, evidence, some = {}]) => [title, { ...some, requests }, verdict, evidence] as const,
		),
	)("%s", (_name, some, verdict, evidence) => {
		expect(judged(consumeCheck, some)).toEqual([verdict, evidence]);
	});

	it("says that a reverse named another reference", () => {
		const other = failing(REVERSED, 404, "not_found");
		expect(verdictOn(consumeCheck, { requests: [CONSUMED, other] }).says).toBe(
			"A hold was consumed, and no consume was reversed yet. A reverse was answered 404 not_found: nothing was consumed under its reference.",
		);
	});
});
