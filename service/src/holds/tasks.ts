import type { Task } from "../lib/task.ts";
import type { Sweep } from "./sweep.ts";

/**
 * Milliseconds between looks for holds past their end: well inside the 5 s in which they must be swept, and often enough that
 * every batch and count, which look for overdue holds themselves, find few.
 */
const SWEEP_EVERY_MS = 250;

export const HOLD_TASKS: readonly Task<{ readonly sweep: Sweep }>[] = [
	{
		name: "sweep_holds",
		everyMs: SWEEP_EVERY_MS,
		failure: "the sweep of holds failed",
		run: ({ sweep }, signal) => sweep(signal),
	},
];
