import { expect, it } from "vitest";
import { createRequestBudget, limitsOf, WINDOW_MS } from "./budget.ts";

const LIMITS = limitsOf(190);
const { in_background: MOST, somebody_waits: MOST_OF_ALL } = LIMITS;

it("in no window more requests are sent than are allowed, and each that waits as it was told is sent", () => {
	let now = 0;
	const budget = createRequestBudget(() => now, LIMITS);
	const sent: number[] = [];
	for (let n = 0; n < 1_000; n++) {
		const waitMs = budget.take("in_background");
		if (waitMs > 0) {
			now += waitMs;
			expect(budget.take("in_background")).toBe(0);
		}
		sent.push(now);
		now += n % 3;
	}
	const busiest = sent.map((at) => sent.filter((other) => other > at - WINDOW_MS && other <= at).length);
	expect(Math.max(...busiest)).toBe(MOST);
});

it("work in the background leaves room for whoever waits", () => {
	const budget = createRequestBudget(() => 0, LIMITS);
	for (let n = 0; n < MOST; n++) expect(budget.take("in_background")).toBe(0);
	expect(budget.take("in_background")).toBe(WINDOW_MS);
	for (let n = MOST; n < MOST_OF_ALL; n++) expect(budget.take("somebody_waits")).toBe(0);
	expect(budget.take("somebody_waits")).toBe(WINDOW_MS);
});

it("a pause that the platform asked for holds for everybody, and a shorter one does not end a longer", () => {
	let now = 0;
	const budget = createRequestBudget(() => now, LIMITS);
	budget.pause(5_000);
	budget.pause(1_000);
	expect(budget.take("somebody_waits")).toBe(5_000);
	now = 4_999;
	expect(budget.take("in_background")).toBe(1);
	now = 5_000;
	expect(budget.take("in_background")).toBe(0);
});
