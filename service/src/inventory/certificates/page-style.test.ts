import fc from "fast-check";
import { expect, it } from "vitest";
import { contrast, inkOn, readableOn } from "./page-style.ts";

const COLOUR = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

it("contrast is what WCAG says", () => {
	expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
	expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

it("whatever the manufacturer's colour, text on it and links in it can be read on paper, light and dark", () => {
	fc.assert(
		fc.property(COLOUR, (colour) => {
			expect(contrast(inkOn(colour), colour)).toBeGreaterThanOrEqual(4.5);
			for (const paper of ["#ffffff", "#14171a"])
				expect(contrast(readableOn(colour, paper), paper)).toBeGreaterThanOrEqual(4.5);
		}),
	);
});
