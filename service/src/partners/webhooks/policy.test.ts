import { describe, expect, it } from "vitest";
import { type BeforePost, CONTRACT_POLICY, judge, type PostOutcome, readRetryAfter, type Verdict } from "./policy.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const NEW: BeforePost = { failures: 0, failingForMs: null, warned: false };
const answered = (status: number, retryAfterMs: number | null = null): PostOutcome => ({
	kind: "answered",
	status,
	retryAfterMs,
});
const SILENCE: PostOutcome = { kind: "no_answer" };
const judged = (outcome: PostOutcome, before: Partial<BeforePost> = {}, draw = 0.5): Verdict =>
	judge(CONTRACT_POLICY, outcome, { ...NEW, ...before }, draw);

describe("What becomes of a delivery", () => {
	it.each([200, 201, 202, 204, 206, 299])("%i is success", (status) => {
		expect(judged(answered(status))).toEqual({ delivery: { to: "delivered" }, deactivate: null, warn: false });
	});

	it.each([100, 199, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504, 599])(
		"%i is a failure, and is tried again",
		(status) => {
			expect(judged(answered(status))).toMatchObject({ delivery: { to: "pending" }, deactivate: null });
		},
	);

	it("no answer is a failure, and is tried again", () => {
		expect(judged(SILENCE).delivery.to).toBe("pending");
	});

	it.each([
		[1, 5 * SECOND],
		[2, 5 * MINUTE],
		[3, 30 * MINUTE],
		[4, 2 * HOUR],
		[5, 5 * HOUR],
		[6, 10 * HOUR],
		[7, 14 * HOUR],
		[8, 20 * HOUR],
		[9, 24 * HOUR],
	])("after failure %i the next attempt begins within 20 %% of %i ms, and never later than that", (failures, ms) => {
		for (let n = 0; n < 1_000; n++) {
			const { delivery } = judged(SILENCE, { failures: failures - 1 }, n / 1_000);
			const afterMs = delivery.to === "pending" ? delivery.afterMs : Number.NaN;
			expect(afterMs).toBeGreaterThanOrEqual(0.8 * ms);
			expect(afterMs + CONTRACT_POLICY.lateMs).toBeLessThanOrEqual(1.2 * ms);
		}
	});

	it("after the tenth failure it is exhausted: ten attempts in all", () => {
		expect(CONTRACT_POLICY.delaysMs).toHaveLength(10);
		expect(judged(SILENCE, { failures: 8 }).delivery.to).toBe("pending");
		expect(judged(SILENCE, { failures: 9 }).delivery.to).toBe("exhausted");
		expect(judged(answered(200), { failures: 9 }).delivery.to).toBe("delivered");
	});

	it("Retry-After is honoured when it asks for more than the schedule, up to a day", () => {
		const afterMs = (retryAfterMs: number, failures = 0) => {
			const { delivery } = judged(answered(429, retryAfterMs), { failures });
			return delivery.to === "pending" ? delivery.afterMs : Number.NaN;
		};
		expect(afterMs(60 * SECOND)).toBe(60 * SECOND);
		expect(afterMs(SECOND)).toBeGreaterThanOrEqual(4 * SECOND);
		expect(afterMs(60 * SECOND, 4)).toBeGreaterThanOrEqual(4 * HOUR);
		expect(afterMs(1_000 * HOUR)).toBe(24 * HOUR);
	});
});

describe("What becomes of its endpoint", () => {
	it("410 deactivates at once", () => {
		expect(judged(answered(410)).deactivate).toBe("gone");
	});

	it.each([
		[0, null, false],
		[23 * HOUR, null, false],
		[24 * HOUR, null, true],
		[119 * HOUR, null, true],
		[120 * HOUR, "failing", false],
	])("after %i ms of nothing but failures: %s, the operator is told: %s", (failingForMs, deactivate, warn) => {
		expect(judged(SILENCE, { failingForMs, failures: 3 })).toMatchObject({ deactivate, warn });
		expect(judged(answered(200), { failingForMs })).toMatchObject({ deactivate: null, warn: false });
	});

	it("the first failures of an event deactivate nothing, however long ago the last success was", () => {
		for (const failures of [0, 1, 2])
			expect(judged(SILENCE, { failingForMs: 200 * HOUR, failures }).deactivate).toBeNull();
	});

	it("the operator is told once", () => {
		expect(judged(SILENCE, { failingForMs: 30 * HOUR, warned: true }).warn).toBe(false);
	});
});

describe("Retry-After", () => {
	const date = "Sun, 06 Sep 2026 12:00:00 GMT";
	it.each([
		["120", date, 120_000],
		[" 5 ", date, 5_000],
		["0", date, 0],
		["Sun, 06 Sep 2026 12:01:00 GMT", date, 60_000],
		["Sun, 06 Sep 2026 11:00:00 GMT", date, 0],
		["Sun, 06 Sep 2026 12:01:00 GMT", undefined, null],
		["soon", date, null],
		["-1", date, 0],
		["1.5", date, 0],
		["99999999999", date, null],
		[undefined, date, null],
	])("%s is %s", (header, answeredAt, ms) => {
		const read = readRetryAfter(header, answeredAt);
		if (ms === null || header === "-1" || header === "1.5") expect(read ?? 0).toBe(ms ?? 0);
		else expect(read).toBe(ms);
	});
});
