import { describe, expect, it } from "vitest";
import { factsWith } from "../../../test/golive/example-facts.ts";
import { minute } from "../../../test/golive/example-requests.ts";
import { goodRun } from "../../../test/golive/good-run.ts";
import { duration, moment, plural } from "./verdicts.ts";
import { between, drillStretches, inOrder, isWithin, outside } from "./windows.ts";

describe("Stretches", () => {
	it.each([
		["nothing is taken off", [], [[0, 10]]],
		["what only touches takes nothing off", [[10, 20]], [[0, 10]]],
		[
			"a part in the middle",
			[[3, 5]],
			[
				[0, 3],
				[5, 10],
			],
		],
		["the beginning", [[-5, 4]], [[4, 10]]],
		["the end, for ever", [[6, Number.POSITIVE_INFINITY]], [[0, 6]]],
		["all of it", [[0, 10]], []],
		[
			"several parts that overlap",
			[
				[1, 3],
				[2, 4],
				[8, 9],
			],
			[
				[0, 1],
				[4, 8],
				[9, 10],
			],
		],
	] as const)("outside: %s", (_name, others, left) => {
		const stretches = others.map(([from, to]) => ({ from, to }));
		expect(outside({ from: 0, to: 10 }, stretches).map(({ from, to }) => [from, to])).toEqual(left);
	});

	it("a drill's ends six minutes after it, and one that is under way does not end", () => {
		const stretches = drillStretches(
			factsWith({
				drills: [
					{ from: minute(10), to: minute(20) },
					{ from: minute(50), to: null },
				],
			}),
		);
		const isDrilled = (at: number): boolean => isWithin(stretches, at);
		expect([minute(10) - 1, minute(10), minute(26), minute(26) + 1, minute(90)].map(isDrilled)).toEqual([
			false,
			true,
			true,
			false,
			true,
		]);
	});
});

describe("Facts in order", () => {
	it("are found between two times, both included", () => {
		const list = [1, 2, 2, 3, 5].map((at) => ({ at }));
		expect(between(list, 2, 3).map(({ at }) => at)).toEqual([2, 2, 3]);
		expect(between(list, 4, 4)).toEqual([]);
		expect(between(list, 0, 9)).toHaveLength(5);
	});

	it("are sorted by time, then by id", () => {
		const facts = goodRun();
		const [first] = facts.requests;
		const twins = first
			? [
					{ ...first, requestId: "b" },
					{ ...first, requestId: "a" },
				]
			: [];
		expect(inOrder(factsWith({ requests: twins })).requests.map(({ requestId }) => requestId)).toEqual(["a", "b"]);
		const ordered = inOrder(facts);
		expect(inOrder({ ...facts, requests: facts.requests.toReversed(), looks: facts.looks.toReversed() })).toEqual(
			ordered,
		);
	});
});

describe("Words", () => {
	it.each([
		["0 ms", 0],
		["999 ms", 999],
		["1.5 s", 1_500],
		["9.999 s", 9_999],
		["10 s", 10_999],
		["5 min 10 s", 310_000],
		["6 min", 360_000],
		["1 h", 3_600_000],
		["1 h 1 min", 3_661_000],
		["25 h", 90_000_000],
	])("a duration is %s", (words, ms) => {
		expect(duration(ms)).toBe(words);
	});

	it("an instant and a number of things", () => {
		expect(moment(minute(0, 0.7))).toBe("2026-12-01T08:00:00.000Z");
		expect([plural(1, "look"), plural(2, "look"), plural(0, "reply", "replies")]).toEqual([
			"1 look",
			"2 looks",
			"0 replies",
		]);
	});
});
