import type { ExecutesIn } from "../../ground/engine/kind.ts";
import type { StepFacts } from "../../partners/runs/run.ts";
import type { Moved } from "../stock/move.ts";
import type { RECALL_COMMANDS } from "./commands.ts";

/*
 * Long work of this room is done in steps, each in its own transaction, to serve partners between them
 * (docs/decisions/0023). Here is what the runs of all its operations share.
 */

/** Runs commands of this room inside the transaction of a step. */
export type ExecuteRecallIn = ExecutesIn<typeof RECALL_COMMANDS>;

/** The facts that a step needs about its run; the first step may come before the run is created. */
export type FactsOfStep = Omit<StepFacts, "runId" | "input" | "note">;

/** Units that the steps have moved so far. */
export type MovedSoFar = Omit<Moved, "fgId">;

export const added = (soFar: MovedSoFar, step: MovedSoFar): MovedSoFar => ({
	moved: soFar.moved + step.moved,
	replaced: soFar.replaced + step.replaced,
	lost: soFar.lost + step.lost,
});

/** The progress of a run, in units. */
export const progressOf = ({ moved }: { readonly moved: number }, left: number) => ({ done: moved, of: moved + left });
