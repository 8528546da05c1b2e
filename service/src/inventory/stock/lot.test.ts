import { describe, expect, it } from "vitest";
import { byFefo, inDate } from "./lot.ts";

const TODAY = "2026-03-10";

describe("in date", () => {
	it.each([
		// expires, needed until, usable
		[null, undefined, true],
		[null, "2099-01-01", true],
		["2026-03-11", undefined, true],
		["2026-03-10", undefined, true], // the last day counts
		["2026-03-09", undefined, false],
		["2026-03-12", "2026-03-12", true],
		["2026-03-11", "2026-03-12", false],
		["2026-03-09", "2026-03-08", false], // an expired lot is never usable, whatever day is needed
	])("a lot that expires %s, needed until %s: %s", (expiresOn, neededUntil, usable) => {
		expect(inDate({ expiresOn }, TODAY, neededUntil)).toBe(usable);
	});
});

describe("first expired, first out", () => {
	const lot = (text: string) => {
		const [fgId = "", expires = "", receivedOn = ""] = text.split(" ");
		return { fgId, expiresOn: expires === "never" ? null : expires, receivedOn, available: 1 };
	};
	it.each([
		["sooner expiry first", "b 2026-04-01 2026-01-02", "a 2026-04-02 2026-01-01"],
		["no expiry last", "b 2099-01-01 2026-01-02", "a never 2026-01-01"],
		["of one expiry, the first received", "b 2026-04-01 2026-01-01", "a 2026-04-01 2026-01-02"],
		["of one receipt, the smaller id", "a 2026-04-01 2026-01-01", "b 2026-04-01 2026-01-01"],
		["without expiry, the first received", "b never 2026-01-01", "a never 2026-01-02"],
	])("%s", (_rule, first, second) => {
		expect([lot(second), lot(first)].sort(byFefo)).toEqual([lot(first), lot(second)]);
		expect([lot(first), lot(second)].sort(byFefo)).toEqual([lot(first), lot(second)]);
	});
});
