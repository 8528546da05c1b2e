import { describe, expect, it } from "vitest";
import { idsAndPlaces, plainArray, plainOrNone, textArray, textOrNone, timesAndPlaces } from "./array.ts";

describe("an array parameter", () => {
	it.each([
		["of plain values", plainArray(["a", 1, null]), "{a,1,NULL}"],
		["of nothing", plainArray([]), "{}"],
		[
			"of texts from anywhere",
			textArray(['a "quote"', "back\\slash", "NULL", "a,b", "{}", null]),
			'{"a \\"quote\\"","back\\\\slash","NULL","a,b","{}",NULL}',
		],
		["without any value is not sent", plainOrNone([null, null]), null],
		["with one value is sent whole", textOrNone([null, "x", null]), '{NULL,"x",NULL}'],
	])("%s", (_, sent, expected) => expect(sent).toBe(expected));
});

describe("columns of repeated values", () => {
	it("ids are sent once, in the order of their coming, and named by their place from 1", () => {
		expect(idsAndPlaces(["b", "a", "b", "c", "a"])).toEqual(["{b,a,c}", "{1,2,1,3,2}"]);
	});

	it("times of several columns are sent once; a column without any is not sent", () => {
		const [noon, later] = [Date.UTC(2026, 0, 1, 12), Date.UTC(2026, 0, 1, 12, 30)];
		expect(
			timesAndPlaces([
				[noon, noon],
				[null, null],
				[null, later],
				[later, noon],
			]),
		).toEqual(["{2026-01-01T12:00:00.000Z,2026-01-01T12:30:00.000Z}", "{1,1}", null, "{NULL,2}", "{2,1}"]);
	});

	it("a time at the beginning of the epoch is a time", () => {
		expect(timesAndPlaces([[0, null]])).toEqual(["{1970-01-01T00:00:00.000Z}", "{1,NULL}"]);
	});
});
