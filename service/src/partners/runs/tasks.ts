import type { Task } from "../../ground/lib/task.ts";
import type { Runs } from "./carry-out-runs.ts";
import { TAKE_OVER_EVERY_MS } from "./limits.ts";

const TAKE_OVER: Task<{ readonly runs: Runs }> = {
	name: "take_over_runs",
	everyMs: TAKE_OVER_EVERY_MS,
	failure: "runs of dead nodes could not be taken over",
	run: ({ runs }) => runs.takeOver(),
};

export const RUN_TASKS = [TAKE_OVER] as const;
