import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

describe("The rate limit", () => {
	it("allows exactly the limit in any 60 seconds, whatever the pattern, and refused calls do not lengthen the wait", () => {
		const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 40_000 })), {
			maxLength: 400,
		});
		fc.assert(
			fc.property(gaps, fc.integer({ min: 1, max: 40 }), (steps, limit) => {
				let now = 1_000_000;
				const limits = createRateLimit({ now: () => now });
				const allowed: number[] = [];
				for (const step of steps) {
					now += step;
					const inWindow = allowed.filter((at) => at > now - 60_000);
					const verdict = limits.take("key", limit);
					expect(verdict.allowed).toBe(inWindow.length < limit);
					if (verdict.allowed) inWindow.push(now);
					if (verdict.allowed) allowed.push(now);
					expect(verdict.left).toBe(limit - inWindow.length);
					const oldest = inWindow[0] ?? now;
					expect(verdict.seconds).toBe(Math.max(1, Math.ceil((oldest + 60_000 - now) / 1000)));
				}
			}),
		);
	});

	it("a caller who waits as long as it was told is let in", () => {
		let now = 0;
		const limits = createRateLimit({ now: () => now });
		for (let n = 0; n < 60; n++) {
			now += 137;
			limits.take("key", 60);
		}
		for (let n = 0; n < 100; n++) {
			const { allowed, seconds } = limits.take("key", 60);
			if (!allowed) now += seconds * 1000;
			expect(allowed || limits.take("key", 60).allowed).toBe(true);
		}
	});

	it("follows a limit that the operator lowers or raises", () => {
		const limits = createRateLimit({ now: () => 0 });
		for (let n = 0; n < 10; n++) expect(limits.take("key", 10).allowed).toBe(true);
		expect(limits.take("key", 5)).toMatchObject({ allowed: false, left: 0 });
		expect(limits.take("key", 11)).toMatchObject({ allowed: true, left: 0 });
	});

	it("keeps names apart and forgets the idle ones", () => {
		let now = 0;
		const limits = createRateLimit({ now: () => now });
		for (let n = 0; n < 30_000; n++) {
			now += 10;
			expect(limits.take(`address ${n}`, 1).allowed).toBe(true);
		}
		expect(limits.take("address 29999", 1).allowed).toBe(false);
		expect(limits.size).toBeLessThan(15_000);
	});

	it("holds a million requests a minute of one key", () => {
		let now = 0;
		const limits = createRateLimit({ now: () => now });
		for (let n = 0; n < 1_000_000; n++) limits.take("key", 1_000_000);
		expect(limits.take("key", 1_000_000).allowed).toBe(false);
		now = 60_000;
		expect(limits.take("key", 1_000_000)).toEqual({ allowed: true, left: 999_999, seconds: 60 });
	});
});
