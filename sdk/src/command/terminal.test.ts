import { describe, expect, it } from "vitest";
import { harmless, instant, table, thereAre } from "./terminal.ts";

const SECRET = "RHpEMFt8Kfbj4l7TJVV6JhLvDr9zOMYb8TPYTkgDpHG1e9CdN";

describe("What is printed", () => {
	it.each([
		[`pk_hf_sandbox_1:sk_hf_sandbox_${SECRET}`, "pk_hf_sandbox_1:sk_…"],
		[`{"secret":"whsec_${SECRET}=="}`, '{"secret":"whsec_…"}'],
		["two sk_hf_live_0123456789 and whsec_01234567", "two sk_… and whsec_…"],
		["expected pk_hf_…:sk_hf_…, or whsec_…", "expected pk_hf_…:sk_hf_…, or whsec_…"],
		["a\u001b[2Jb\u0007", "a\\u001b[2Jb\\u0007"],
		["left\u202eright\u2028", "left\\u202eright\\u2028"],
		["lines\n\tstay, and so does Zürich €5", "lines\n\tstay, and so does Zürich €5"],
	])("%j has neither secrets nor control characters", (text, printed) => {
		expect(harmless(text)).toBe(printed);
	});

	it("has columns", () => {
		expect(
			table([
				["A", "LONG", "LAST"],
				["longer", "b", "c"],
			]),
		).toBe("A       LONG  LAST\nlonger  b     c");
	});

	it("has numbers and times as a person reads them", () => {
		expect([thereAre(1, "box", "boxes"), thereAre(0, "box", "boxes")]).toEqual([
			"There is 1 box.",
			"There are 0 boxes.",
		]);
		expect(instant(new Date("2026-12-01T08:00:00.123Z"))).toBe("2026-12-01T08:00:00Z");
	});
});
