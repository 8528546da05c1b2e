import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Kept, keptIn, type Spelling, textOf } from "./kept.ts";
import { SteadyClock } from "./steady-clock.ts";

const SPELLING: Spelling<string> = {
	name: "test mirror",
	toJson: (content) => content,
	fromJson: (json) => (typeof json === "string" ? json : null),
};
const NOW = Date.UTC(2026, 8, 6);
const HOUR_MS = 3_600_000;
const clockAt = (now: number): SteadyClock => new SteadyClock({ now: () => now, sleep: () => Promise.resolve() });
const KEPT: Kept<string> = {
	content: "x",
	readAt: NOW - 5_000,
	trouble: { kind: "unauthorized", since: NOW - 1_000 },
	told: "unauthorized",
};
const TEXT = textOf(SPELLING, KEPT, clockAt(NOW));

describe("What a mirror keeps over a restart", () => {
	it("is as old as it was, and time that passed makes it older", () => {
		expect(keptIn(SPELLING, TEXT, clockAt(NOW))).toEqual(KEPT);
		expect(keptIn(SPELLING, TEXT, clockAt(NOW + HOUR_MS))).toEqual(KEPT);
	});

	it("is of an unknown age if the clock was set back, and what is known of the key remains", () => {
		const clock = clockAt(NOW - HOUR_MS);
		const trouble = { kind: "unauthorized", since: NOW - HOUR_MS };
		expect(keptIn(SPELLING, TEXT, clock)).toEqual({ ...KEPT, readAt: null, trouble });
	});

	it("may be without knowledge of what people were told", () => {
		const kept = { ...KEPT, told: null };
		expect(keptIn(SPELLING, textOf(SPELLING, kept, clockAt(NOW)), clockAt(NOW))).toEqual(kept);
	});

	it("is written by the clock as it is set now", () => {
		let now = NOW;
		const clock = new SteadyClock({ now: () => now, sleep: () => Promise.resolve() });
		const readAt = clock.now();
		now -= HOUR_MS;
		const text = textOf(SPELLING, { ...KEPT, readAt, trouble: null }, clock);
		now += 10 * 60_000;
		expect(keptIn(SPELLING, text, clockAt(now))?.readAt).toBe(NOW - HOUR_MS);
	});

	it.each<[string, string | null]>([
		["nothing", null],
		["an empty text", ""],
		["null", "null"],
		["a number", "7"],
		["another mirror's text", TEXT.replace("test mirror", "other mirror")],
		["a later version's text", TEXT.replace('"version":1', '"version":2')],
		["no time", TEXT.replace(/"savedAt":"[^"]*"/, '"savedAt":null')],
		["a time that cannot be", TEXT.replace(/"readAt":"[^"]*"/, '"readAt":"soon"')],
		["a word for its health that is not known", TEXT.replace('"told":"unauthorized"', '"told":"fine"')],
		["no word for its health", TEXT.replace('"told":"unauthorized",', "")],
		["a trouble that is not known", TEXT.replace('"kind":"unauthorized"', '"kind":"odd"')],
		["content of another kind", TEXT.replace('"content":"x"', '"content":1')],
	])("is nothing if the store has %s", (_what, text) => {
		expect(keptIn(SPELLING, text, clockAt(NOW))).toBeNull();
	});

	it("is nothing if the text is torn, wherever", () => {
		for (let length = 0; length < TEXT.length; length++) {
			expect(keptIn(SPELLING, TEXT.slice(0, length), clockAt(NOW))).toBeNull();
		}
	});

	it("is never younger than it was, wherever the clock is set", () => {
		fc.assert(
			fc.property(fc.nat(HOUR_MS), fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }), (ageMs, setMs) => {
				const text = textOf(SPELLING, { ...KEPT, readAt: NOW - ageMs }, clockAt(NOW));
				const clock = clockAt(NOW + setMs);
				const readAt = keptIn(SPELLING, text, clock)?.readAt ?? null;
				if (readAt !== null) expect(clock.now() - readAt).toBeGreaterThanOrEqual(ageMs);
			}),
		);
	});
});
