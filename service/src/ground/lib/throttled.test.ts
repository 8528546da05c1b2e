import { expect, it } from "vitest";
import { throttled, throttledByKind } from "./throttled.ts";

it("a trouble is told at once, then every ten seconds with how often it came", () => {
	let now = 0;
	const told: unknown[] = [];
	const trouble = throttled(
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

it("troubles of different kinds are told each by itself; errors that differ in numbers and ids alone are of one kind", () => {
	let now = 0;
	const told: unknown[] = [];
	const trouble = throttledByKind<string>(
		(error, count, again, about) => told.push([(error as Error).message, count, again, about]),
		() => now,
	);
	const coded = Object.assign(new Error("lost"), { code: "08006" });
	trouble(new Error("no answer within 5000 ms to 0199f0a0-1111-7000-8000-000000000001"), "r1");
	trouble(new Error("no answer within 5003 ms to 0199f0a0-1111-7000-8000-00000000000f"), "r2");
	trouble(new Error("lost"), "r3");
	trouble(coded, "r4");
	trouble(new Error("lost"), "r5");
	now = 10_000;
	trouble(new Error("lost"), "r6");
	expect(told).toEqual([
		["no answer within 5000 ms to 0199f0a0-1111-7000-8000-000000000001", 1, false, "r1"],
		["lost", 1, false, "r3"],
		["lost", 1, false, "r4"],
		["lost", 2, true, "r6"],
	]);
});

it("however many kinds there are, few are remembered", () => {
	const told: number[] = [];
	const trouble = throttledByKind<number>(
		(_error, _count, _again, about) => told.push(about),
		() => 0,
	);
	for (let n = 0; n < 26 ** 3; n++) {
		const letters = n.toString(26).replace(/./g, (digit) => String.fromCharCode(107 + Number.parseInt(digit, 26)));
		trouble(new Error(letters), n);
	}
	const first = new Error(String.fromCharCode(107));
	trouble(first, -1);
	expect(told.at(-1)).toBe(-1); // forgotten long ago, so reported again
	trouble(first, -2);
	expect(told.at(-1)).toBe(-1);
});
