import { describe, expect, it } from "vitest";
import { createKnownSizes } from "./known-sizes.ts";

describe("sizes of large things", () => {
	it("are those that were noted; of anything else the usual one", () => {
		const sizes = createKnownSizes();
		sizes.note("large", 130);
		sizes.note("small", 1);
		expect([sizes.of("large"), sizes.of("small"), sizes.of("of another node")]).toEqual([130, 2, 2]);
	});

	it("are remembered for a bounded number of things, the latest", () => {
		const sizes = createKnownSizes();
		for (let n = 0; n <= 50_000; n++) sizes.note(`hold ${n}`, 9);
		expect([sizes.of("hold 0"), sizes.of("hold 50000")]).toEqual([2, 9]);
	});
});
