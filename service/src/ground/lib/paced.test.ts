import { expect, it } from "vitest";
import { monotonicMs } from "./clock.ts";
import { flatMapPaced, inOneGo, inTurns, type Paced } from "./paced.ts";

/** Milliseconds of work of each step. */
const STEP_MS = 2;

function* busy(steps: number): Paced<string> {
	for (let step = 0; step < steps; step++) {
		const until = monotonicMs() + STEP_MS;
		while (monotonicMs() < until);
		yield;
	}
	return "done";
}

it("a long computation lets other work of the process have turns", async () => {
	let turns = 0;
	let isOver = false;
	const other = (): void => {
		turns++;
		if (!isOver) setImmediate(other);
	};
	setImmediate(other);
	expect(await inTurns(busy(50))).toBe("done");
	isOver = true;
	expect(turns).toBeGreaterThan(2);
});

it("in one go it has the same result", () => {
	const numbers = Array.from({ length: 5_000 }, (_, n) => n);
	expect(inOneGo(flatMapPaced(numbers, (n, at) => (n === at && n % 2 === 0 ? [n, -n] : [])))).toEqual(
		numbers.flatMap((n) => (n % 2 === 0 ? [n, -n] : [])),
	);
});
