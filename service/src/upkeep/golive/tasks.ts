import type { Task } from "../../ground/lib/task.ts";
import { carryOutSteps, type StepDeps } from "./carry-out-steps.ts";

/** Milliseconds between two polls for due steps. */
const DUE_EVERY_MS = 1_000;

export const GOLIVE_TASKS: readonly Task<StepDeps>[] = [
	{
		name: "carry_out_golive_steps",
		everyMs: DUE_EVERY_MS,
		failure: "the steps of go-live runs could not be taken",
		run: carryOutSteps,
	},
];
