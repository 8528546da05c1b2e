import { describe, expect, it } from "vitest";
import { type Found, judgeAsOf } from "./as-of.ts";
import type { Life } from "./shoppers.ts";

const answer = (began: number, ms: number) => ({ status: 200, reply: null, began, ms });
/** Reserved from 100 to 110, released from 200 to 210. */
const LIFE: Life = {
	answers: [answer(100, 10), answer(200, 10)],
	token: "t",
	acknowledged: "released",
	doubtful: false,
};

const wrongAt = (moment: number, found: Found | null) =>
	judgeAsOf([LIFE], new Map(found === null ? [] : [["t", found]]), moment, 1).wrong;
const one = (status: string): Found => ({ rows: 1, status });

describe("As of a moment", () => {
	it("a hold that was acknowledged before is there, once", () => {
		expect(wrongAt(150, one("active"))).toEqual([]);
		expect(wrongAt(150, null)).toEqual(["hold t was acknowledged before, and is there 0 times"]);
		expect(wrongAt(150, { rows: 2, status: "active" })).toEqual([
			"hold t was acknowledged before, and is there 2 times",
		]);
	});

	it("a hold that was requested after is not there", () => {
		expect(wrongAt(50, null)).toEqual([]);
		expect(wrongAt(50, one("active"))).toContain("hold t was requested after, and is there");
	});

	it("a hold has ended if its end was acknowledged before, and is active if its end was requested after", () => {
		expect(wrongAt(300, one("released"))).toEqual([]);
		expect(wrongAt(300, one("active"))).toEqual(["hold t was released before, and is active"]);
		expect(wrongAt(150, one("released"))).toEqual(["hold t was ended after, and is released"]);
	});

	it("what was under way may be there or not", () => {
		for (const found of [null, one("active")]) expect(wrongAt(105, found)).toEqual([]);
		for (const status of ["active", "released"]) expect(wrongAt(205, one(status))).toEqual([]);
	});
});
