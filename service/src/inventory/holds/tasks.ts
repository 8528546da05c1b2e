import type { Task } from "../../ground/lib/task.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectOverdueSeconds } from "./sql.ts";
import type { Sweep } from "./sweep.ts";

/**
 * Milliseconds between sweeps: well inside the 5 s within which an overdue hold must be swept, and often enough that
 * batches and counts, which check for overdue holds themselves, find few.
 */
const SWEEP_EVERY_MS = 250;

/** Milliseconds between checks of the oldest overdue hold, for the metrics. */
const MEASURE_EVERY_MS = 15_000;

export interface HoldTaskDeps {
	readonly sweep: Sweep;
	/** Has index-friendly planner settings. */
	readonly readDb: Query;
	/** Receives the figure for the metrics, in seconds; 0: no hold is overdue. */
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
		name: "measure_overdue_holds",
		everyMs: MEASURE_EVERY_MS,
		failure: "the oldest hold past its end could not be read",
		run: async ({ readDb, noteOverdue }) => noteOverdue(await selectOverdueSeconds(readDb)),
	},
];
