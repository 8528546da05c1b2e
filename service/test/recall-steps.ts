import { NeedsMoreLocks } from "../src/ground/engine/steps.ts";
import { isRefusal, type Refusal } from "../src/ground/lib/refusal.ts";
import type { Database, Query } from "../src/ground/pg/connect.ts";
import { isConflict } from "../src/ground/pg/faults.ts";
import { transaction } from "../src/ground/pg/transaction.ts";
import { carryOutRecall, newRecall, type RecallState } from "../src/inventory/recall/carry-out-recall.ts";
import type { RecallTarget } from "../src/inventory/recall/find-lots-to-recall.ts";
import { newRestore, type RestoreState, restoreUnits } from "../src/inventory/recall/restore-units.ts";
import type { ExecuteRecallIn, FactsOfStep } from "../src/inventory/recall/step.ts";
import { newTakeOut, type TakeOutState, takeOut } from "../src/inventory/recall/take-out.ts";
import type { Origin } from "../src/inventory/stock/move.ts";
import type { RunStep } from "../src/partners/runs/run.ts";
import { executeIn } from "./execute-in.ts";

/*
 * Carries out the steps of a run of the recall room one after the other, each in a transaction of its own as in the
 * service, for tests that need only the effects and no real run.
 */

type Step<State> = (
	executeIn: ExecuteRecallIn,
	tx: Query,
	state: State,
	facts: FactsOfStep,
) => Promise<RunStep<State> | Refusal>;

async function inSteps<State>(
	db: Database,
	step: Step<State>,
	{ start, origin }: { readonly start: State; readonly origin: Origin },
	onStep: (state: State) => unknown = () => undefined,
): Promise<State | Refusal> {
	let [state, memo, more]: [State, unknown, unknown] = [start, undefined, undefined];
	const { actor, requestId } = origin;
	const facts = () => ({ actor, requestId: requestId ?? "test", memo, more });
	for (;;) {
		try {
			const done = await transaction(db, (tx) => step(executeIn, tx, state, facts()));
			if (isRefusal(done)) return done;
			({ state, memo } = done);
			more = undefined;
			await onStep(state);
			if (done.isEnd) return state;
		} catch (error) {
			if (error instanceof NeedsMoreLocks) ({ more } = error);
			else if (!isConflict(error)) throw error;
		}
	}
}

export const recallInSteps = (
	db: Database,
	{ target, reason, origin }: { readonly target: RecallTarget; readonly reason: string; readonly origin: Origin },
	onStep?: (state: RecallState) => unknown,
): Promise<RecallState | Refusal> => inSteps(db, carryOutRecall, { start: newRecall(target, reason), origin }, onStep);

type Asked<State extends { readonly units: unknown }> = Pick<
	State,
	Extract<"kind" | "fgId" | "units" | "reason", keyof State>
> & {
	readonly origin: Origin;
};

export const takeOutInSteps = (
	db: Database,
	{ origin, ...asked }: Asked<TakeOutState>,
	onStep?: (state: TakeOutState) => unknown,
): Promise<TakeOutState | Refusal> => inSteps(db, takeOut, { start: newTakeOut(asked), origin }, onStep);

export const restoreInSteps = (
	db: Database,
	{ origin, ...asked }: Asked<RestoreState>,
	onStep?: (state: RestoreState) => unknown,
): Promise<RestoreState | Refusal> => inSteps(db, restoreUnits, { start: newRestore(asked), origin }, onStep);
