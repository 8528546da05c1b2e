import type { ErrorCode } from "../../glossary.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { LEAST_ROLE } from "../admin/role.ts";

/* Long work of an operator: its request makes a run, which goes on without it (operator contract, section 3). */

export type RunStatus = "running" | "done" | "failed" | "stopped";

/** The operation whose request starts a run. */
export type StartsRun = keyof typeof LEAST_ROLE;

/** A run as it is read. */
export interface OperatorRun {
	readonly runId: string;
	readonly operation: StartsRun;
	/** The thing that it is about, by its own name. */
	readonly about: string;
	readonly actor: string;
	readonly requestId: string;
	readonly status: RunStatus;
	readonly stopAsked: boolean;
	readonly done: number;
	/** Null: not known. */
	readonly of: number | null;
	/** So far, until it ends; null: nothing was done yet. */
	readonly result: object | null;
	readonly error: RunError | null;
	readonly startedAt: Date;
	readonly endedAt: Date | null;
}

export interface RunError {
	readonly code: ErrorCode;
	readonly message: string;
}

/** Where a run stands after a step. */
export interface RunStep<State> {
	/** What the next step needs, as JSON. */
	readonly state: State;
	readonly done: number;
	/** Null: not known. */
	readonly of: number | null;
	/** What it has done so far, as JSON; null: nothing. */
	readonly result: object | null;
	/** Nothing is left to do. */
	readonly isEnd: boolean;
	/** For the next step on the same node, and missing on another one: what would be slow to read again. */
	readonly memo?: unknown;
}

/** Who asked for a run. */
export type RunFacts = Pick<OperatorRun, "runId" | "actor" | "requestId">;

/** What a step can use. */
export interface StepFacts extends RunFacts {
	/** The memo of the step before, if this node carried it out. */
	readonly memo: unknown;
	/** The rows that an attempt before it lacked, for the engine. */
	readonly more: unknown;
}

/** What work that is no series of steps can use. */
export interface WorkFacts extends RunFacts {
	/** Notes progress; it is written down a little later. */
	note(done: number, of: number | null): void;
	/** Aborted when the run is to stop, when another node has it, and when the service stops. */
	readonly signal: AbortSignal;
}

/**
 * A kind of run. `next` is one step, in a transaction that also writes down the new state: it is done once, whatever
 * dies. A refusal fails the run. Without `next`, `work` is all of it in one: it cannot be taken over, and a run whose
 * node died has failed. An error is tried again in a step and fails other work.
 */
export type RunKind<State> = { readonly operation: StartsRun } & (
	| { next(tx: Query, state: State, facts: StepFacts): Promise<RunStep<State> | Refusal> }
	| { work(state: State, facts: WorkFacts): Promise<object | Refusal> }
);

/** A kind without its own types. */
export type AnyRunKind = RunKind<unknown>;

/** A run that this node has. */
export interface HeldRun extends RunFacts {
	readonly operation: StartsRun;
	/** How often nodes took it; see the migration. */
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

/** What the error of a run says that its node cannot go on with. */
export const goneMessage = (done: number, of: number | null): string =>
	`The node that carried it out is gone. It came to ${done}${of === null ? "" : ` of ${of}`}. Start it again.`;
