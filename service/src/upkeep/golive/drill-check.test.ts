import { describe, expect, it } from "vitest";
import { type CheckCase, equalLook, judged, look, shownItem, verdictOn } from "../../../test/golive/example-facts.ts";
import { minute, request } from "../../../test/golive/example-requests.ts";
import { countsAt, goodRun } from "../../../test/golive/good-run.ts";
import { drillCheck } from "./drill-check.ts";
import type { FactRequest, GoLiveFacts, Look, ShownItem } from "./facts.ts";
import { MINUTE } from "./windows.ts";

/** The drill lasts from minute 100 to 110; there is a request every two minutes, which the drill refuses. */
const GOOD = goodRun();
const DRILLED = { ...GOOD, requests: GOOD.requests.filter(({ operation }) => operation === "products") };
const SEEN = ["read-100", "look-104", "look-106", "look-108", "look-110"];
/** More requests in the drill. */
const asking = (...more: readonly FactRequest[]): Partial<GoLiveFacts> => ({
	...DRILLED,
	requests: [...DRILLED.requests, ...more],
});
const unauthorized = (id: string, ms: number, some: Partial<FactRequest> = {}): FactRequest =>
	request(id, minute(104, ms), { status: 401, ...some });
/** The looks of the good run, with those of some minutes replaced. */
const looking = (
	change: (one: Look, minutes: number) => Look,
	some: Partial<GoLiveFacts> = {},
): Partial<GoLiveFacts> => ({
	...DRILLED,
	looks: DRILLED.looks.map((one) => change(one, (one.at - minute(0)) / MINUTE)),
	...some,
});
/** A look at this time after the first refusal, which is answered 5 ms after minute 100, that shows this of SBX-LOW. */
const showing = (ms: number, low: Partial<ShownItem>, counts = countsAt(100)): Partial<GoLiveFacts> => ({
	...DRILLED,
	looks: [...DRILLED.looks, look("x", minute(100, 5 + ms), counts, [{ ...shownItem("SBX-LOW", null), ...low }])],
});
const isAfter = (minutes: number): boolean => minutes > 110;
const unequal = (one: Look): Look => ({ ...one, items: [shownItem("SBX-LOW", 7), shownItem("SBX-OUT", 7)] });
/** What is shown differs after the drill, until `ms` milliseconds after its end. */
const unequalFor = (ms: number): Partial<GoLiveFacts> =>
	looking((one, minutes) => (isAfter(minutes) ? unequal(one) : one), {
		looks: [
			...DRILLED.looks.filter(({ at }) => at < minute(110)),
			{ ...unequal(equalLook("x", minute(110, ms - 1), countsAt(110))) },
			equalLook("y", minute(110, ms), countsAt(110)),
		],
	});

const isBefore105 = ({ at }: { readonly at: number }): boolean => at < minute(105);
const UNDER_WAY: Partial<GoLiveFacts> = {
	...DRILLED,
	requests: DRILLED.requests.filter(isBefore105),
	looks: DRILLED.looks.filter(isBefore105),
	drills: [{ from: minute(100), to: null }],
	now: minute(105),
};
/** A correct drill, after an incorrect one that was stopped. */
const ANOTHER: Partial<GoLiveFacts> = {
	...DRILLED,
	requests: [...DRILLED.requests, unauthorized("x", -80 * MINUTE), unauthorized("y", -80 * MINUTE + 9_000)],
	drills: [{ from: minute(20), to: minute(25) }, ...DRILLED.drills],
};

const DRILL: readonly CheckCase[] = [
	["there was none", {}, "waiting", []],
	["all was right", DRILLED, "passed", SEEN],
	["it is under way", UNDER_WAY, "waiting", ["read-100"]],
	[
		"it was stopped a millisecond early",
		{ ...DRILLED, drills: [{ from: minute(100), to: minute(110) - 1 }] },
		"waiting",
		[],
	],
	["the partner did not ask", { ...DRILLED, requests: [] }, "waiting", []],
	["one request in 15 s may come", asking(unauthorized("x", 15_000)), "passed", SEEN],
	["a millisecond less is too soon", asking(unauthorized("x", 14_999)), "failed", ["read-104", "x"]],
	["what was sent together is one", asking(unauthorized("x", 505)), "passed", SEEN],
	["what came after the reply is another", asking(unauthorized("x", 506)), "failed", ["read-104", "x"]],
	[
		"the run's own requests do not count",
		asking(unauthorized("x", 9_000, { url: "/api/v1/sandbox/shown" })),
		"passed",
		SEEN,
	],
	["it shows 0", showing(1, { shownQty: 0 }), "failed", ["x"]],
	["even hidden", showing(1, { shownQty: 0, hidden: true }), "failed", ["x"]],
	["0 that is the count may be shown for a minute", showing(60_000, { shownQty: 0 }, { "SBX-LOW": 0 }), "passed", SEEN],
	["so may any number", showing(60_000, { shownQty: 1 }), "passed", SEEN],
	["and not a millisecond longer", showing(60_001, { shownQty: 1 }), "failed", ["x"]],
	[
		"a certificate that is still linked is a warning",
		showing(90_000, { shownQty: null }),
		"warning",
		["read-100", "look-104", "look-106", "look-108", "look-110"],
	],
	[
		"no look is in it",
		{ ...DRILLED, looks: DRILLED.looks.filter(({ at }) => at > minute(110)) },
		"waiting",
		["read-100"],
	],
	["nor can be", { ...DRILLED, looks: [], hasStatusAddress: false }, "review", ["read-100"]],
	["it is equal again after six minutes", unequalFor(6 * MINUTE), "passed", [...SEEN.slice(0, 4), "y"]],
	["not a millisecond later", unequalFor(6 * MINUTE + 1), "failed", ["x"]],
	[
		"it is never equal again",
		looking((one, minutes) => (isAfter(minutes) ? unequal(one) : one)),
		"failed",
		["look-116"],
	],
	[
		"that is waited for",
		{ ...DRILLED, looks: DRILLED.looks.filter(({ at }) => at < minute(110)), now: minute(116) },
		"waiting",
		["read-100"],
	],
	[
		"a drill that was stopped counts when something was wrong",
		{ ...ANOTHER, drills: ANOTHER.drills?.slice(0, 1) ?? [] },
		"failed",
		["x", "y"],
	],
	["another one mends it", ANOTHER, "passed", SEEN],
];

describe("drill", () => {
	it.each(DRILL)("%s", (_name, some, verdict, evidence) => {
		expect(judged(drillCheck, some)).toEqual([verdict, evidence]);
	});

	it("says which SKU was shown with what", () => {
		expect(verdictOn(drillCheck, showing(1, { shownQty: 0 })).says).toBe(
			"While the key was refused, SBX-LOW was shown with 0 at 2026-12-01T09:40:00.006Z.",
		);
	});
});
