import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { camelName, fromWire, isTimeName, snakeName, toWire } from "./camel.ts";

describe("Names and times", () => {
	it.for([
		["reserved_qty", "reservedQty"],
		["sku", "sku"],
		["ship_to", "shipTo"],
		["line1", "line1"],
		["from_brand_pool", "fromBrandPool"],
	] as const)("%s is %s, both ways", ([snake, camel]) => {
		expect(camelName(snake)).toBe(camel);
		expect(snakeName(camel)).toBe(snake);
	});

	it("every snake_case name survives camelCase", () => {
		const word = fc.stringMatching(/^[a-z][a-z0-9]*$/);
		fc.assert(
			fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
				expect(snakeName(camelName(words.join("_")))).toBe(words.join("_"));
			}),
		);
	});

	it.for([
		["createdAt", true],
		["at", true],
		["asOf", true],
		["drillUntil", true],
		["timestamp", true],
		["since", true],
		["format", false],
		["status", false],
		["testedOn", false],
	] as const)("%s names a time: %s", ([name, expected]) => {
		expect(isTimeName(name)).toBe(expected);
	});
});

describe("From the service", () => {
	it("renames at every depth, and makes Dates of times alone", () => {
		const reply = {
			expires_at: "2026-09-06T12:30:00.000Z",
			ended_at: null,
			note: "2026-09-06T12:30:00.000Z",
			items: [{ sku: "A", fg_ids: ["x"], lots: [{ tested_on: "2026-08-20", shipped_at: "2026-09-06T12:30:00Z" }] }],
		};
		expect(fromWire(reply)).toEqual({
			expiresAt: new Date("2026-09-06T12:30:00.000Z"),
			endedAt: null,
			note: "2026-09-06T12:30:00.000Z",
			items: [
				{ sku: "A", fgIds: ["x"], lots: [{ testedOn: "2026-08-20", shippedAt: new Date("2026-09-06T12:30:00Z") }] },
			],
		});
	});

	it("members that the SDK does not know pass through, and what is no time stays as it is", () => {
		expect(fromWire({ new_member: { very_new: 1 }, renewed_at: "soon" })).toEqual({
			newMember: { veryNew: 1 },
			renewedAt: "soon",
		});
	});
});

describe("To the service", () => {
	it("renames at every depth, writes Dates as RFC 3339, and leaves out what is undefined", () => {
		const since = new Date("2026-09-06T12:00:00.000Z");
		const given = { externalRef: "c", ttlMinutes: undefined, since, items: [{ brandCode: "B", qty: 1 }], note: null };
		expect(toWire(given)).toEqual({
			external_ref: "c",
			since: "2026-09-06T12:00:00.000Z",
			items: [{ brand_code: "B", qty: 1 }],
			note: null,
		});
	});
});
