import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alertAfter, type Facts, type Health, judge, staleAlertAt, type Trouble, troubleAfter } from "./health.ts";

const MINUTE = 60_000;
const LIMIT = 10 * MINUTE;

const failing: Trouble = { kind: "failing", since: 5 * MINUTE };
const refused: Trouble = { kind: "unauthorized", since: 6 * MINUTE };
const factsOf = (readAt: number | null, trouble: Trouble | null = null, startedAt = 0): Facts => ({
	startedAt,
	readAt,
	trouble,
});

describe("What a mirror's copy is worth", () => {
	it.each<[string, Facts, number, string, number, Health | null, number]>([
		// what, facts, now, kind, since, health, since
		["just started", factsOf(null), 0, "empty", 0, null, 0],
		["nothing came", factsOf(null), LIMIT, "empty", 0, "stale", LIMIT],
		["the first refresh failed", factsOf(null, failing), 6 * MINUTE, "empty", 0, "failing", 5 * MINUTE],
		[
			"the first refresh was refused",
			factsOf(null, refused),
			7 * MINUTE,
			"unauthorized",
			6 * MINUTE,
			"unauthorized",
			6 * MINUTE,
		],
		["read", factsOf(MINUTE), LIMIT, "fresh", MINUTE, "well", MINUTE],
		["one failed since", factsOf(MINUTE, failing), LIMIT, "fresh", MINUTE, "failing", 5 * MINUTE],
		["a millisecond before the limit", factsOf(0, failing), LIMIT - 1, "fresh", 0, "failing", 5 * MINUTE],
		["at the limit", factsOf(0, failing), LIMIT, "stale", LIMIT, "stale", LIMIT],
		["at the limit, nothing failed", factsOf(0), LIMIT, "stale", LIMIT, "stale", LIMIT],
		["refused", factsOf(MINUTE, refused), 7 * MINUTE, "unauthorized", 6 * MINUTE, "unauthorized", 6 * MINUTE],
		["refused long ago", factsOf(MINUTE, refused), 3 * LIMIT, "unauthorized", 6 * MINUTE, "unauthorized", 6 * MINUTE],
		["restarted, young copy", factsOf(-MINUTE), 0, "fresh", -MINUTE, "well", -MINUTE],
		["restarted, old copy", factsOf(-LIMIT), 0, "stale", 0, null, 0],
		["restarted, old copy, refresh hangs", factsOf(-2 * LIMIT), LIMIT, "stale", -LIMIT, "stale", -LIMIT],
		["restarted, old copy, refresh failed", factsOf(-2 * LIMIT, failing), 6 * MINUTE, "stale", -LIMIT, "stale", -LIMIT],
	])("%s", (_what, facts, now, kind, since, health, healthSince) => {
		expect(judge(facts, now, LIMIT)).toEqual({ kind, since, health, healthSince });
	});
});

describe("Trouble", () => {
	const error = new Error("x");
	const withStatus = (status: number): Error => Object.assign(new Error("x"), { status });
	it.each<[string, Trouble | null, Error, Trouble["kind"], number]>([
		["a first failure", null, error, "failing", 9],
		["another one", failing, withStatus(500), "failing", failing.since],
		["a refusal", null, withStatus(401), "unauthorized", 9],
		["a refusal after failures", failing, withStatus(403), "unauthorized", 9],
		["another refusal", refused, withStatus(401), "unauthorized", refused.since],
		["a failure after a refusal", refused, error, "unauthorized", refused.since],
	])("is since its beginning: %s", (_what, before, thrown, kind, since) => {
		expect(troubleAfter(before, 9, thrown)).toEqual({ kind, since, error: thrown });
	});
});

describe("An alert", () => {
	it.each<[Health | null, Health | null, string | null]>([
		["well", "well", null],
		["well", null, null],
		["well", "failing", "failing"],
		["failing", "failing", null],
		["failing", "stale", "stale"],
		["stale", "unauthorized", "unauthorized"],
		["stale", null, null],
		["unauthorized", "well", "recovered"],
		["failing", "well", "recovered"],
		[null, null, null],
		[null, "stale", "stale"],
		[null, "well", "recovered"],
	])("after %s, when it is %s: %s", (told, health, alert) => {
		expect(alertAfter(told, health)).toBe(alert);
	});
});

/** What can happen to a mirror, one after the other. */
type Happening =
	| { readonly what: "pass"; readonly ms: number }
	| { readonly what: "read" | "restart" }
	| { readonly what: "fail"; readonly status: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({ what: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 2 * LIMIT }) }),
	},
	fc.record({ what: fc.constantFrom("read" as const, "restart" as const) }),
	fc.record({ what: fc.constant("fail" as const), status: fc.constantFrom(0, 401, 403, 429, 500) }),
);

describe("Whatever happens", () => {
	it("nothing old and nothing refused is fresh, people know what is wrong, and a read makes all well", () => {
		fc.assert(
			fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
				let now = 0;
				let facts = factsOf(null);
				let told: Health = "well";
				let isRefused = false;
				for (const one of happenings) {
					if (one.what === "pass") now += one.ms;
					if (one.what === "restart") facts = { ...facts, startedAt: now };
					if (one.what === "read") facts = { ...facts, readAt: now, trouble: null };
					if (one.what === "fail") {
						const error = Object.assign(new Error("x"), { status: one.status });
						facts = { ...facts, trouble: troubleAfter(facts.trouble, now, error) };
					}
					isRefused = (isRefused && one.what !== "read") || (one.what === "fail" && [401, 403].includes(one.status));
					const { kind, health, since } = judge(facts, now, LIMIT);
					const age = facts.readAt === null ? null : now - facts.readAt;
					const expected = isRefused ? "unauthorized" : age === null ? "empty" : age >= LIMIT ? "stale" : "fresh";
					expect(kind).toBe(expected);
					expect(since).toBeLessThanOrEqual(now);
					const alert = alertAfter(told, health);
					if (alert !== null) expect(alert).not.toBe(told === "well" ? "recovered" : told);
					told = health ?? told;
					if (one.what === "read") expect(told).toBe("well");
					if (one.what === "fail")
						expect(told).toBe(
							expected === "fresh" || (expected === "empty" && told !== "stale")
								? "failing"
								: expected === "empty"
									? "stale"
									: expected,
						);
					// people know from the moment of the stale alert on, and not before
					const alertAt = staleAlertAt(facts, LIMIT);
					if (kind !== "unauthorized") expect(judge(facts, alertAt, LIMIT).health).toBe("stale");
					if (kind !== "unauthorized" && alertAt > now)
						expect(judge(facts, alertAt - 1, LIMIT).health).not.toBe("stale");
				}
			}),
			{ numRuns: 1_000 },
		);
	});
});
