import { expect, it } from "vitest";
import { Schedules } from "./schedules.ts";
import { interleavings } from "./stepping.ts";

const STEPS = 5;

/** Two commands of which each takes the one lock with its second step and keeps it to its end: whether each turn did anything. */
function play(order: string): boolean[] {
	const taken = { A: 0, B: 0 };
	let holder: string | null = null;
	return [...order].map((turn) => {
		const actor = turn as "A" | "B";
		const waits = taken[actor] === 1 && holder !== null;
		if (taken[actor] === STEPS || waits) return false;
		if (++taken[actor] === 2) holder = actor;
		if (taken[actor] === STEPS) holder = null;
		return true;
	});
}

const scheduleOf = (order: string): string => [...order].filter((_, turn) => play(order)[turn]).join("");

it("every schedule is run, and hardly one of them twice", () => {
	const all = [...interleavings(STEPS, STEPS)];
	const different = new Set(all.map(scheduleOf));
	const schedules = new Schedules(all);
	const run: string[] = [];
	for (let order = schedules.next(); order !== null; order = schedules.next()) {
		schedules.ran(order, play(order));
		run.push(scheduleOf(order));
	}
	expect(new Set(run)).toEqual(different);
	expect(schedules.orders).toBe(all.length);
	expect(schedules.races).toBe(different.size);
	expect(run.length).toBeLessThan(all.length / 2);
});
