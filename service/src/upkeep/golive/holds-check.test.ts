import { describe, expect, it } from "vitest";
import { type Case, judged, verdictOn } from "../../../test/golive/example-facts.ts";
import {
	consume,
	failing,
	minute,
	place,
	placeOf,
	refused,
	release,
	request,
	reserve,
} from "../../../test/golive/example-requests.ts";
import { holdsCheck } from "./holds-check.ts";

const REPEATED = [reserve("r1", minute(40), "cart-1", "h1"), reserve("r2", minute(40, 9_000), "cart-1", "h1", true)];
const RELEASED = release("r3", minute(41), { reservation_token: "h1" });
const EXPIRED = reserve("r4", minute(42), "cart-2", "h2");
const REFUSED = refused("r5", minute(43), "no_inventory", "cart-3");
const HOLDS = [...REPEATED, RELEASED, EXPIRED, REFUSED];
const ADVANCED = request("adv", minute(42, 9_000), {
	operation: "advanceSandbox",
	body: { reservation_token: "h2", to: "expired" },
});
/** All parts; the hold of cart-2 is advanced to its end at once. */
const QUICK = [...REPEATED, RELEASED, EXPIRED, ADVANCED, REFUSED];
const ORDER = place("w1", minute(60), "cart-3", "h9", "o9");
const HELD_AGAIN = reserve("r6", minute(44), "cart-3", "h3");

const HOLD_CASES: readonly Case[] = [
	["nothing was seen", [], "waiting", []],
	["all parts were seen", HOLDS, "passed", ["r1", "r2", "r3", "r4", "r5"]],
	[
		"a new reference is no repeat",
		[...REPEATED.slice(0, 1), RELEASED, EXPIRED, REFUSED],
		"waiting",
		["r3", "r4", "r5"],
	],
	["no hold is released", [...REPEATED, EXPIRED, REFUSED], "waiting", ["r1", "r2", "r5"]],
	["nothing is refused", [...REPEATED, RELEASED, EXPIRED], "waiting", ["r1", "r2", "r3", "r4"]],
	["a hold expires at its end", HOLDS, "passed", ["r1", "r2", "r3", "r4", "r5"], { now: minute(72) }],
	["not a millisecond earlier", HOLDS, "waiting", ["r1", "r2", "r3", "r5"], { now: minute(72) - 1 }],
	["the sandbox may advance it there", QUICK, "passed", ["r1", "r2", "r3", "adv", "r5"], { now: minute(48) }],
	["a refusal is watched for five minutes", QUICK, "waiting", ["r1", "r2", "r3", "adv"], { now: minute(48) - 1 }],
	[
		"a hold that was used does not expire",
		[...HOLDS, consume("c", minute(50), { reservation_token: "h2", external_ref: "s" })],
		"waiting",
		["r1", "r2", "r3", "r5"],
	],
	["an order follows the refusal under its reference", [...HOLDS, ORDER], "failed", ["r5", "w1"]],
	["also when it is refused", [...HOLDS, failing(ORDER, 404, "reservation_not_found")], "failed", ["r5", "w1"]],
	[
		"or names it as external_order_id",
		[...HOLDS, placeOf("w1", minute(60), { reservation_token: "h9", external_order_id: "cart-3" })],
		"failed",
		["r5", "w1"],
	],
	[
		"a consume follows it",
		[...HOLDS, consume("w1", minute(60), { reservation_token: "h9", external_ref: "cart-3" })],
		"failed",
		["r5", "w1"],
	],
	[
		"an order follows an item that is not for sale",
		[...HOLDS.slice(0, 4), failing(REFUSED, 422, "invalid_item"), ORDER],
		"failed",
		["r5", "w1"],
	],
	[
		"an order of another reference may follow",
		[...HOLDS, place("w1", minute(60), "cart-7", "h9", "o9")],
		"passed",
		["r1", "r2", "r3", "r4", "r5"],
	],
	["and one after a reserve that succeeded", [...HOLDS, HELD_AGAIN, ORDER], "passed", ["r1", "r2", "r3", "r4", "r5"]],
	[
		"a 429 takes no hold away",
		[...HOLDS, HELD_AGAIN, failing({ ...HELD_AGAIN, requestId: "r7", at: minute(45) }, 429, "rate_limited"), ORDER],
		"passed",
		["r1", "r2", "r3", "r4", "r5"],
	],
	[
		"a later refusal that is left alone mends it",
		[...HOLDS, ORDER, refused("r9", minute(195), "no_inventory", "cart-9")],
		"passed",
		["r1", "r2", "r3", "r4", "r9"],
	],
	[
		"for five minutes",
		[...HOLDS, ORDER, refused("r9", minute(195, 1), "no_inventory", "cart-9")],
		"failed",
		["r5", "w1"],
	],
	[
		"one of another kind does not mend it",
		[...HOLDS, ORDER, refused("r9", minute(65), "retry", "cart-9")],
		"failed",
		["r5", "w1"],
	],
	[
		"not even when its reserve succeeds later",
		[...HOLDS, ORDER, refused("r9", minute(65), "retry", "cart-9"), reserve("r10", minute(66), "cart-9", "h10")],
		"failed",
		["r5", "w1"],
	],
	[
		"nor does it mend one of its own kind by another",
		[
			...HOLDS,
			ORDER,
			failing(refused("r9", minute(65), "no_inventory", "cart-9"), 422, "invalid_item"),
			place("w2", minute(66), "cart-9", "h9", "o9"),
			refused("r10", minute(67), "no_inventory", "cart-10"),
		],
		"failed",
		["r9", "w2"],
	],
];

describe("holds", () => {
	it.each(
		HOLD_CASES.map(
			([title, requests, verdict, evidence, some = {}]) => [title, { ...some, requests }, verdict, evidence] as const,
		),
	)("%s", (_name, some, verdict, evidence) => {
		expect(judged(holdsCheck, some)).toEqual([verdict, evidence]);
	});

	it("says which reference was refused, and what came after it", () => {
		expect(verdictOn(holdsCheck, { requests: [...HOLDS, ORDER] }).says).toBe(
			"The reserve under cart-3 was refused with 409 no_inventory at 2026-12-01T08:43:00.000Z, and placeOrder came under the same reference at 2026-12-01T09:00:00.000Z.",
		);
	});
});
