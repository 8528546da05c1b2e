import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CODES } from "../wire/__generated__/codes.ts";
import { isLost, judge, MAX_WAIT_MS, type Repeat } from "./retry.ts";
import type { Code, KnownCode } from "./types.ts";

const first = { number: 1, maxRetries: 2, lostBefore: false, retryAfterMs: null, random: 0 };
const REPEATS: readonly Repeat[] = ["read", "same", "once"];
const ALL: readonly KnownCode[] = [...CODES, "connection_lost", "reference_used"];

/** What follows the first attempt: for reads, for acts whose repeat the service recognises, and for all other acts. */
const NOT_FINAL: Partial<Record<KnownCode, readonly [string, string, string]>> = {
	rate_limited: ["again", "again", "again"],
	retry: ["again", "again", "again"],
	hold_race: ["again", "again", "again"],
	internal_error: ["again", "again", "unknown"],
	connection_lost: ["again", "again", "unknown"],
};

describe("After an attempt", () => {
	it.for(
		ALL.flatMap((code) => REPEATS.map((repeat, at) => [code, repeat, NOT_FINAL[code]?.[at] ?? "refused"] as const)),
	)("%s of an operation that is %s: %s", ([code, repeat, expected]) => {
		expect(judge({ ...first, code, repeat }).kind).toBe(expected);
	});

	it("a code that the SDK does not know is never repeated", () => {
		for (const repeat of REPEATS) expect(judge({ ...first, code: "very_new" as Code, repeat }).kind).toBe("refused");
	});

	it.for([
		["internal_error", "read", false, "refused"],
		["connection_lost", "read", true, "refused"],
		["internal_error", "same", false, "unknown"],
		["connection_lost", "same", false, "unknown"],
		["rate_limited", "same", false, "refused"],
		["rate_limited", "same", true, "unknown"],
		["retry", "same", true, "unknown"],
		["unauthorized", "same", true, "unknown"],
		["unauthorized", "same", false, "refused"],
		["no_inventory", "same", true, "refused"],
		["reservation_used", "same", true, "refused"],
	] as const)("%s after the last attempt of a %s (lost before: %s): %s", ([code, repeat, lostBefore, expected]) => {
		expect(judge({ ...first, number: 3, code, repeat, lostBefore }).kind).toBe(expected);
	});
});

describe("Waits", () => {
	it.for([
		[1, null, 1_000],
		[2, null, 2_000],
		[3, null, 4_000],
		[20, null, MAX_WAIT_MS],
		[1, 17_000, 17_000],
	] as const)("before attempt %i + 1, with Retry-After %s: %i ms", ([number, retryAfterMs, afterMs]) => {
		const verdict = judge({ ...first, repeat: "read", code: "retry", number, maxRetries: 99, retryAfterMs });
		expect(verdict).toEqual({ kind: "again", afterMs });
	});

	it("whoever is told to wait longer than a minute gets the refusal", () => {
		const verdict = judge({ ...first, repeat: "read", code: "rate_limited", retryAfterMs: MAX_WAIT_MS + 1 });
		expect(verdict.kind).toBe("refused");
	});

	it("a request ends after its retries, whatever is answered", () => {
		const answers = fc.array(fc.constantFrom(...ALL), { minLength: 12, maxLength: 12 });
		fc.assert(
			fc.property(
				answers,
				fc.constantFrom(...REPEATS),
				fc.nat(10),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(codes, repeat, maxRetries, random) => {
					let lostBefore = false;
					for (const [at, code] of codes.entries()) {
						const verdict = judge({ ...first, repeat, code, number: at + 1, maxRetries, lostBefore, random });
						if (verdict.kind !== "again") {
							expect(at).toBeLessThanOrEqual(maxRetries);
							return;
						}
						expect(verdict.afterMs).toBeGreaterThanOrEqual(500);
						expect(verdict.afterMs).toBeLessThanOrEqual(MAX_WAIT_MS);
						lostBefore ||= isLost(code);
					}
					expect.unreachable();
				},
			),
		);
	});
});
