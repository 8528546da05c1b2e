import { expect, it } from "vitest";
import { sparing } from "./sparing.ts";

it("a trouble is told at once, then every ten seconds with how often it came", () => {
	let now = 0;
	const told: unknown[] = [];
	const trouble = sparing(
		(error, count) => told.push([error, count]),
		() => now,
	);
	for (const [at, error] of [
		[0, "a"],
		[250, "b"],
		[9_999, "c"],
		[10_000, "d"],
		[10_250, "e"],
		[60_000, "f"],
	] as const) {
		now = at;
		trouble(error);
	}
	expect(told).toEqual([
		["a", 1],
		["d", 3],
		["f", 2],
	]);
});
