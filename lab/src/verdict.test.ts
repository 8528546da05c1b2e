import { describe, expect, it } from "vitest";
import { decide, type Figures } from "./verdict.ts";

const RICH: Figures = {
	seed: 1,
	commit: "none",
	minutes: 2,
	operations: 2e4,
	byOperation: {},
	byStatus: {},
	errands: 50,
	errandsUnknown: 3,
	byOutcome: {
		done: 15e3,
		refused: 4e3,
		unknown: 1e3,
		unsent: 0,
	},
	faults: {
		"backend-kill": 10,
		"service-kill": 9,
	},
	toNothing: {},
	notOffered: {},
	foreignWrites: 1e3,
	probes: 100,
	longestWait: null,
	exercised: [
		{
			what: "boxes voided",
			count: 2,
			least: 2,
		},
	],
	tally: {
		posts: {
			accepted: 200,
			"not answered": 40,
		},
	},
};

describe("a verdict", () => {
	it("is passed when nothing is wrong and enough was met", () => {
		expect(decide(RICH, [], null, null).result).toBe("passed");
	});

	it.each<[why: string, figures: Figures, broken: string | null]>([
		["it met too few operations", { ...RICH, operations: 3_999 }, null],
		["it met too few faults", { ...RICH, faults: { "backend-kill": 2, "service-kill": 1 } }, null],
		["a kind of fault hardly came", { ...RICH, faults: { "backend-kill": 30, "service-kill": 2 } }, null],
		["what must be done was not", { ...RICH, exercised: [{ what: "boxes voided", count: 1, least: 2 }] }, null],
		["operators did too little", { ...RICH, errands: 1 }, null],
		["hardly any webhook was posted", { ...RICH, tally: { posts: { accepted: 39 } } }, null],
		["nobody wrote the foreign database", { ...RICH, foreignWrites: 0 }, null],
		["the place broke", RICH, "a server did not come back"],
	])("is inconclusive, not passed, when %s", (_, figures, broken) => {
		const { result, inconclusive } = decide(figures, [], null, broken);
		expect({ result, reasons: inconclusive.length }).toEqual({ result: "inconclusive", reasons: 1 });
	});

	it("counts the faults against those that were asked for, whatever their rate", () => {
		const slow = { ...RICH, faults: { "backend-kill": 1, "service-kill": 1 } };
		expect(decide(slow, [], null, null).result).toBe("inconclusive");
		expect(decide({ ...slow, leastFaults: 2 }, [], null, null).result).toBe("passed");
		expect(decide({ ...slow, leastFaults: 3 }, [], null, null).result).toBe("inconclusive");
	});

	it("is failed by a single finding or by verify, whatever was met", () => {
		const few = { ...RICH, operations: 1 };
		expect(decide(few, [{ wrong: "lost", what: "a hold", at: null }], null, null).result).toBe("failed");
		expect(decide(few, [], "lot-balance 1", null).result).toBe("failed");
	});
});
