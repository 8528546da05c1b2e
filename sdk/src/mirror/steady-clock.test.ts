import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../client/types.ts";
import { SteadyClock } from "./steady-clock.ts";

/** A clock that can be set while time passes. */
class SetClock implements Clock {
	shownMs = 1_000_000;
	passedMs = 0;

	now(): number {
		return this.shownMs;
	}

	async sleep(ms: number): Promise<void> {
		this.pass(ms);
	}

	pass(ms: number): void {
		this.passedMs += ms;
		this.shownMs += ms;
	}

	set(byMs: number): void {
		this.shownMs += byMs;
	}
}

const HOUR_MS = 3_600_000;

describe("A steady clock", () => {
	it("stands still while its clock is set back, and goes on from there", () => {
		const clock = new SetClock();
		const steady = new SteadyClock(clock);
		clock.pass(500);
		const before = steady.now();
		clock.set(-HOUR_MS);
		expect(steady.now()).toBe(before);
		clock.pass(700);
		expect(steady.now()).toBe(before + 700);
	});

	it("counts what was slept, although the clock was set back meanwhile", async () => {
		const clock = new SetClock();
		const steady = new SteadyClock(clock);
		const before = steady.now();
		const slept = steady.sleep(240_000);
		clock.set(-HOUR_MS);
		await slept;
		expect(steady.now()).toBe(before + 240_000);
	});

	it("takes an hour that the clock was set forward for an hour that passed", () => {
		const clock = new SetClock();
		const steady = new SteadyClock(clock);
		const before = steady.now();
		clock.set(HOUR_MS);
		expect(steady.now()).toBe(before + HOUR_MS);
	});

	it("shows moments as its clock does now", () => {
		const clock = new SetClock();
		const steady = new SteadyClock(clock);
		const moment = steady.now();
		clock.set(-HOUR_MS);
		steady.now();
		clock.pass(5_000);
		expect(steady.dateOf(moment).getTime()).toBe(clock.now() - 5_000);
		expect(steady.momentOf(steady.dateOf(moment))).toBe(moment);
	});

	it("never goes back, and nothing that was slept is missing from it", async () => {
		const step = fc.record({
			what: fc.constantFrom("pass", "set", "sleep"),
			ms: fc.integer({ min: -HOUR_MS, max: HOUR_MS }),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
				const clock = new SetClock();
				const steady = new SteadyClock(clock);
				for (const { what, ms } of steps) {
					const before = steady.now();
					if (what === "set") clock.set(ms);
					else if (what === "pass") clock.pass(Math.abs(ms));
					else await steady.sleep(Math.abs(ms));
					const after = steady.now();
					expect(after).toBeGreaterThanOrEqual(before + (what === "set" ? 0 : Math.abs(ms)));
				}
			}),
		);
	});
});
