import type { ErrorCode } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { LEAST_ROLE } from "../admin/role.ts";

/* Long work of an operator: the request creates a run, which continues without it (operator contract, section 3). */

export type RunStatus = "running" | "done" | "failed" | "stopped";

/** The operation whose request starts a run. */
export type StartsRun = keyof typeof LEAST_ROLE;

/** A run as its GET shows it. */
export interface OperatorRun {
	readonly runId: string;
	readonly operation: StartsRun;
	/** The name of the object that it concerns. */
	readonly about: string;
	readonly actor: string;
	readonly requestId: string;
	readonly status: RunStatus;
	readonly stopAsked: boolean;
	readonly done: number;
	/** Null: not known. */
	readonly of: number | null;
	/** The result so far, until the run ends; null: nothing was done yet. */
	readonly result: object | null;
	readonly error: RunError | null;
	readonly startedAt: Date;
	readonly endedAt: Date | null;
}

export interface RunError {
	readonly code: ErrorCode;
	readonly message: string;
}

/** The state of a run after a step. */
export interface RunStep<State> {
	/** The state that the next step begins from, as JSON. */
	readonly state: State;
	readonly done: number;
	/** Null: not known. */
	readonly of: number | null;
	/** The result so far, as JSON; null: nothing was done yet. */
	readonly result: object | null;
	/** Nothing is left to do. */
	readonly isEnd: boolean;
	/** Passed to the next step if the same node carries it out: data that would be slow to read again. */
	readonly memo?: unknown;
}

export type RunFacts = Pick<OperatorRun, "runId" | "actor" | "requestId">;

export interface StepFacts extends RunFacts {
	/** The memo of the previous step, if this node carried it out. */
	readonly memo: unknown;
	/** The rows that an earlier attempt lacked, for the engine. */
	readonly more: unknown;
	/** Data from the request, kept in memory; undefined: another node had this run before. */
	readonly input: unknown;
	/** Reports progress within a step, which is written with the next renewal. */
	note(done: number, of: number | null): void;
}

/** The arguments of work that is not done in steps. */
export interface WorkFacts extends RunFacts {
	/** Reports progress, which is written with the next renewal. */
	note(done: number, of: number | null): void;
	/** Aborted when the run is to stop, when another node has it, and when the service stops. */
	readonly signal: AbortSignal;
}

/**
 * A kind of run. `next` carries out one step in a transaction that also writes the new state, so each step is done
 * exactly once, whatever crashes. A refusal fails the run; a step that throws is tried again. A kind without `next`
 * does everything in `work`: no other node can continue it, so the run fails if its node dies or `work` throws.
 */
export type RunKind<State> = { readonly operation: StartsRun } & (
	| { next(tx: Query, state: State, facts: StepFacts): Promise<RunStep<State> | Refusal> }
	| { work(state: State, facts: WorkFacts): Promise<object | Refusal> }
);

/** A kind without its own types. */
export type AnyRunKind = RunKind<unknown>;

/** A run whose lease this node holds. */
export interface HeldRun extends RunFacts {
	readonly operation: StartsRun;
	/** The number of times that a node has taken the run; see the migration. */
	readonly fence: number;
}

/** The state before any work. */
export const notBegun = <State>(state: State, of: number | null = null): RunStep<State> => ({
	state,
	done: 0,
	of,
	result: null,
	isEnd: false,
});

/** The error message of a run that cannot be continued after its node died. */
export const goneMessage = (done: number, of: number | null): string =>
	`The node that carried out this run is gone. The run got as far as ${done}${of === null ? "" : ` of ${of}`}. Start it again.`;
