import { describe, expect, it } from "vitest";
import { Bounds } from "./bounds.ts";

describe("bounds", () => {
	it("know a quantity exactly before and after a change, and both values while it may happen", () => {
		const units = new Bounds();
		units.change(10, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
		units.change(-3, 100, 200);
		expect(units.within(0, 99)).toEqual({ low: 10, high: 10 });
		expect(units.within(120, 130)).toEqual({ low: 7, high: 10 });
		expect(units.within(0, 300)).toEqual({ low: 7, high: 10 });
		expect(units.within(201, 300)).toEqual({ low: 7, high: 7 });
	});

	it("never count on a change of which nobody knows that it happened", () => {
		const units = new Bounds();
		units.change(5, 10, Number.POSITIVE_INFINITY);
		units.change(-2, 20, Number.POSITIVE_INFINITY);
		expect(units.within(1_000, 1_000)).toEqual({ low: -2, high: 5 });
	});

	it("see a peak between two moments at which the quantity was the same", () => {
		const units = new Bounds();
		units.change(1, 10, 10);
		units.change(-1, 20, 20);
		expect(units.within(0, 30)).toEqual({ low: 0, high: 1 });
	});

	it("say when the most fell below zero, once for each time", () => {
		const units = new Bounds();
		units.change(1, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
		units.change(-2, 10, 20);
		units.change(2, 30, 40);
		units.change(-3, 50, 60);
		expect(units.belowZero()).toEqual([
			{ at: 20, high: -1 },
			{ at: 60, high: -2 },
		]);
	});
});
