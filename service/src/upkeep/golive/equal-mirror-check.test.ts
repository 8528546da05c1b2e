import { describe, expect, it } from "vitest";
import { type CheckCase, equalLook, factsWith, judged, look, shownItem } from "../../../test/golive/example-facts.ts";
import { type CountsBySku, minute, products } from "../../../test/golive/example-requests.ts";
import { equalMirrorCheck } from "./equal-mirror-check.ts";
import type { FactRequest, GoLiveFacts, Look, ShownItem } from "./facts.ts";
import { inOrder, SECOND } from "./windows.ts";

/** Maximum age of a mirror, in milliseconds. */
const FRESH = 310 * SECOND;
const THREE: CountsBySku = { "SBX-LOW": 3, "SBX-OUT": 0 };
const ONE: CountsBySku = { "SBX-LOW": 1, "SBX-OUT": 0 };
const OUT = shownItem("SBX-OUT", 0);
/** A look at minute 50, at which the count is 1, that shows these items. */
const shows = (...items: readonly ShownItem[]): Partial<GoLiveFacts> => ({
	looks: [look("a", minute(50), ONE, items)],
});
/** A site that shows 3 in that look, with its reads before. */
const showsThree = (...requests: readonly FactRequest[]): Partial<GoLiveFacts> => ({
	...shows(shownItem("SBX-LOW", 3), OUT),
	requests,
});
const GOOD_LOOKS = [equalLook("a", minute(1), THREE), equalLook("b", minute(2), ONE), equalLook("c", minute(3), ONE)];
const WRONG_LOOK = look("x", minute(50), ONE, [shownItem("SBX-LOW", 2), OUT]);
const later = (looks: readonly Look[]): Look[] => looks.map((one) => ({ ...one, at: one.at + minute(50) - minute(0) }));
const unread = (id: string, at: number): Look => look(id, at, ONE, [], { problem: "connection refused" });

const EQUAL: readonly CheckCase[] = [
	["nothing was seen", {}, "waiting", []],
	["there is nothing to look at", { hasStatusAddress: false }, "review", []],
	["no SKU is mapped", { mapped: [], looks: GOOD_LOOKS }, "waiting", []],
	["the address cannot be read", { looks: [unread("a", minute(1))] }, "waiting", ["a"]],
	["three equal looks with a change are enough", { looks: GOOD_LOOKS }, "passed", ["a", "b", "c"]],
	[
		"posted ones too",
		{ hasStatusAddress: false, looks: GOOD_LOOKS.map((one) => ({ ...one, source: "posted" })) },
		"passed",
		["a", "b", "c"],
	],
	["two are not", { looks: GOOD_LOOKS.slice(0, 2) }, "waiting", ["a", "b"]],
	[
		"nor are three without a change",
		{ looks: ["a", "b", "c"].map((id, index) => equalLook(id, minute(index), ONE)) },
		"waiting",
		["a", "b", "c"],
	],
	["a number differs", { looks: [...GOOD_LOOKS, WRONG_LOOK] }, "failed", ["x"]],
	["a SKU is not listed", shows(OUT), "failed", ["a"]],
	["a number is hidden", shows(shownItem("SBX-LOW", null, { hidden: true }), OUT), "failed", ["a"]],
	["a SKU that is sold out may be hidden", shows(shownItem("SBX-LOW", 1), { ...OUT, hidden: true }), "waiting", ["a"]],
	[
		"a SKU without a count must show none",
		{ ...shows(shownItem("SBX-LOW", 1), OUT, shownItem("SBX-X", 0)), mapped: ["SBX-X"] },
		"failed",
		["a"],
	],
	["a look that is equal mends it", { looks: [WRONG_LOOK, ...later(GOOD_LOOKS.slice(0, 1))] }, "waiting", ["a"]],
	["and three pass", { looks: [WRONG_LOOK, ...later(GOOD_LOOKS)] }, "passed", ["a", "b", "c"]],
	["a look that cannot be read mends nothing", { looks: [WRONG_LOOK, unread("y", minute(51))] }, "failed", ["x"]],
	["a mirror may be 5 min 10 s old", showsThree(products("r", minute(50) - FRESH, THREE)), "waiting", []],
	["not a millisecond more", showsThree(products("r", minute(50) - FRESH - 1, THREE)), "failed", ["a"]],
	[
		"a 304 tells again what its address had told",
		showsThree(products("r", minute(10), THREE), products("s", minute(46), {}, { status: 304, reply: null })),
		"waiting",
		[],
	],
	[
		"a reply that was not kept may have told it",
		showsThree(products("r", minute(46), {}, { reply: null })),
		"waiting",
		[],
	],
	[
		"a read of another SKU has not",
		showsThree(products("r", minute(46), {}, { url: "/api/v1/products?sku=SBX-OUT", reply: null })),
		"failed",
		["a"],
	],
	[
		"looks in a drill are left out",
		{ looks: [...GOOD_LOOKS, WRONG_LOOK], drills: [{ from: minute(40), to: minute(44) }] },
		"passed",
		["a", "b", "c"],
	],
	[
		"until six minutes after it",
		{ looks: [...GOOD_LOOKS, WRONG_LOOK], drills: [{ from: minute(40), to: minute(44) - 1 }] },
		"failed",
		["x"],
	],
];

describe("mirror_equal", () => {
	it.each(EQUAL)("%s", (_name, some, verdict, evidence) => {
		expect(judged(equalMirrorCheck, some)).toEqual([verdict, evidence]);
	});

	it("says which number was shown, and which it was", () => {
		const { says } = equalMirrorCheck.judge(inOrder(factsWith({ looks: [WRONG_LOOK] })));
		expect(says).toBe("In the look at 2026-12-01T08:50:00.000Z, SBX-LOW shows 2, and its count was 1.");
	});
});
