import { describe, expect, it } from "vitest";
import { dayOf, neededUntil } from "./hold.ts";

describe("the day of an instant", () => {
	it.each([
		["2026-03-10T23:59:59.999Z", "UTC", "2026-03-10"],
		["2026-03-11T00:00:00.000Z", "UTC", "2026-03-11"],
		["2026-03-10T23:30:00Z", "Europe/Berlin", "2026-03-11"],
		["2026-03-29T00:59:59Z", "Europe/Berlin", "2026-03-29"], // the hour that is skipped
		["2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25"], // the hour that occurs twice
		["2026-03-10T09:59:59Z", "Pacific/Kiritimati", "2026-03-10"],
		["2026-03-10T10:00:00Z", "Pacific/Kiritimati", "2026-03-11"],
		["2026-03-10T04:59:59Z", "America/New_York", "2026-03-10"],
		["2026-01-01T02:00:00Z", "America/New_York", "2025-12-31"],
	])("%s in %s is %s", (instant, timeZone, day) => {
		expect(dayOf(Date.parse(instant), timeZone)).toBe(day);
	});
});

describe("a hold longer than 24 hours needs its lots until the day it ends", () => {
	it.each([
		["2026-03-10T12:00:00Z", "2026-03-11T12:00:00Z", undefined], // a day, to the millisecond
		["2026-03-10T12:00:00Z", "2026-03-11T12:00:00.001Z", "2026-03-11"],
		["2026-03-10T12:00:00Z", "2026-04-10T23:30:00Z", "2026-04-10"],
	])("from %s to %s: %s", (from, until, day) => {
		expect(neededUntil(Date.parse(from), Date.parse(until), "UTC")).toBe(day);
	});
});
