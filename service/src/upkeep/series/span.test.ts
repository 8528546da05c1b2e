import { expect, it } from "vitest";
import { readSpan } from "./span.ts";

const at = (text: string): number => Date.parse(text);
const END = at("2026-03-01T12:30:30Z");

it.each([
	["minute", "2026-03-01T11:30:00Z"],
	["hour", "2026-02-28T12:00:00Z"],
	["day", "2026-01-30T00:00:00Z"],
] as const)("By the %s, figures begin at the beginning of a step, an hour, a day or thirty days ago", (step, from) => {
	expect(readSpan(step, undefined, END)).toEqual({ from: at(from), to: END });
});

it("More points than a reply may have are refused, with the beginning and the step that would not be", () => {
	expect(readSpan("hour", at("2025-03-01T00:00:00Z"), END)).toMatchObject({
		refusal: "invalid_input",
		message:
			"/from: a reply has at most 1500 points, and there are 8773 hours from 2025-03-01T00:00:00.000Z to 2026-03-01T12:30:30.000Z. Begin at 2025-12-29T01:00:00.000Z or later, or ask with step=day.",
	});
	const { from } = readSpan("hour", at("2025-12-29T01:00:00Z"), END) as { from: number };
	expect(from).toBe(at("2025-12-29T01:00:00Z"));
	expect(readSpan("hour", from - 1, END)).toHaveProperty("refusal");
	expect(readSpan("day", at("2020-01-01T00:00:00Z"), END)).toHaveProperty("refusal");
});
