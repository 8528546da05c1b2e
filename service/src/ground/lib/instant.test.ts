import { describe, expect, it } from "vitest";
import { isDay, parseInstant } from "./instant.ts";

describe("an RFC 3339 time", () => {
	it.each([
		["2026-09-06T12:00:00Z", "2026-09-06T12:00:00.000Z"],
		["2026-09-06t12:00:00z", "2026-09-06T12:00:00.000Z"],
		["2026-09-06T12:00:00.5+02:00", "2026-09-06T10:00:00.500Z"],
		["2026-09-06T12:00:00.123456789Z", "2026-09-06T12:00:00.123Z"],
		["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
	])("%s is read as %s", (text, iso) => {
		const ms = parseInstant(text);
		expect(ms === null ? null : new Date(ms).toISOString()).toBe(iso);
	});

	it.each([
		"",
		"2026-09-06",
		"2026-09-06 12:00:00Z",
		"2026-09-06T12:00:00",
		"2026-09-06T12:00Z",
		"2026-02-30T12:00:00Z",
		"2025-02-29T12:00:00Z",
		"2026-13-01T12:00:00Z",
		"2026-09-06T25:00:00Z",
		"2026-09-06T12:60:00Z",
		"2026-09-06T12:00:00+2:00",
		" 2026-09-06T12:00:00Z",
		"1757160000000",
	])("%j is none", (text) => {
		expect(parseInstant(text)).toBeNull();
	});
});

describe("a day", () => {
	it.each([
		["2026-02-28", true],
		["2024-02-29", true],
		["2026-02-29", false],
		["2026-00-10", false],
		["2026-1-1", false],
		["2026-01-01T00:00:00Z", false],
		["99999-01-01", false],
	])("%s: %s", (text, is) => {
		expect(isDay(text)).toBe(is);
	});
});
