import { describe, expect, it } from "vitest";
import { filterDigest, readCursor, writeCursor } from "./cursor.ts";
import { isRefusal } from "./refusal.ts";

const FILTERS = filterDigest(["key", undefined, "ACME"]);

describe("a cursor", () => {
	it.each([0, 1, 7_654_321, Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 10)])("brings %i back", (after) => {
		const fits = String(after).length <= 15;
		const read = readCursor(writeCursor(after, FILTERS), FILTERS);
		expect(fits ? read : isRefusal(read)).toBe(fits ? after : true);
	});

	it("is refused with other filters, and an absent filter is not an empty one", () => {
		for (const other of [["key", "ACME", undefined], ["key", undefined, "BOLT"], ["key", "", "ACME"], []]) {
			expect(readCursor(writeCursor(5, FILTERS), filterDigest(other))).toMatchObject({ refusal: "invalid_input" });
		}
	});

	it.each([
		"",
		"x",
		"-1",
		"äöü",
		"AAAA",
		Buffer.from("5").toString("base64url"),
		Buffer.from(`-5.${FILTERS}`).toString("base64url"),
		Buffer.from(`1e3.${FILTERS}`).toString("base64url"),
		Buffer.from(`5.${FILTERS}.`).toString("base64url"),
		"A".repeat(100_000),
	])("that was not made here is refused: %.20j", (cursor) => {
		expect(readCursor(cursor, FILTERS)).toMatchObject({ refusal: "invalid_input" });
	});
});
