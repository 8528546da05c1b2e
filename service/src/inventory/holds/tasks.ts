import type { Task } from "../../ground/lib/task.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectOverdueSeconds } from "./sql.ts";
import type { Sweep } from "./sweep.ts";

/**
 * Milliseconds between looks for holds past their end: well inside the 5 s in which they must be swept, and often
 * enough that every batch and count, which look for overdue holds themselves, find few.
 */
const SWEEP_EVERY_MS = 250;

/** Milliseconds between two looks at the oldest hold past its end, for the metrics. */
const LOOK_EVERY_MS = 15_000;

export interface HoldTaskDeps {
	readonly sweep: Sweep;
	/** Has plans by index. */
	readonly readDb: Query;
	/** Takes the figure that the metrics show, in seconds; 0: no hold is overdue. */
	readonly noteOverdue: (seconds: number) => void;
}

export const HOLD_TASKS: readonly Task<HoldTaskDeps>[] = [
	{
		name: "sweep_holds",
		everyMs: SWEEP_EVERY_MS,
		failure: "the sweep of holds failed",
		run: ({ sweep }, signal) => sweep(signal),
	},
	{
		name: "look_at_overdue_holds",
		everyMs: LOOK_EVERY_MS,
		failure: "the oldest hold past its end was not looked for",
		run: async ({ readDb, noteOverdue }) => noteOverdue(await selectOverdueSeconds(readDb)),
	},
];
