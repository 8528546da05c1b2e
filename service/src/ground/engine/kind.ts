import type { Refusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import type { NumberedWrite } from "../pg/epoch.ts";
import type { KnownSizes } from "./known-sizes.ts";
import type { Requester } from "./steps.ts";

/** Codes for a conflict with another transaction that outlasts the deadline. */
export type LastingConflict = "retry" | "hold_race" | "rate_limited";

/** The refusal codes among a command's answers. */
type CodeIn<A> = A extends Refusal<infer C> ? C : never;

/**
 * One kind of command, as data: each room exports one for each of its commands. C: the command, A: its answer, B: the
 * part of the book that its rule uses, N: the needs that it may name, X: where its needs are looked up.
 */
export interface Kind<C extends { readonly kind: string }, A, B, N, X> {
	/**
	 * False: the command itself and the catalogue in memory determine its needs. True: it names rows that only a query
	 * can find, and may come with a catalogue that its own transaction has changed, so both are looked up first. That
	 * costs the whole batch two round trips, so only operators' commands do it.
	 */
	readonly looksUp: boolean;
	/**
	 * The code of the answer if a conflict with another transaction lasts beyond the deadline: one of the codes with
	 * which the command may be answered in any case. Absent: `rate_limited`.
	 */
	readonly conflict?: "rate_limited" | Extract<CodeIn<A>, LastingConflict>;
	/** Adds the rows that must be locked and read before the command can be decided. Pure. */
	needs(needs: N, command: C, lookup: X): void;
	/** Answers the command and changes the book, unless it refuses. Pure: no clock, randomness or database. */
	decide(book: B, command: C): A;
	/** The cost of the command, in lines; absent: that of a usual hold. */
	weigh?(command: C, sizes: KnownSizes): number;
	/** After a decision, records the number of lines of a hold that later commands may name: it is their cost. */
	note?(command: C, answer: A, sizes: KnownSizes): void;
	/**
	 * Tokens and references by which the command is repeated or continued: commands that share one are decided in the
	 * order they came. Absent: it has none, and no command repeats or continues another.
	 */
	identities?(command: C): readonly string[];
}

/** Kinds by the name that their commands carry. */
export type Kinds<T> = {
	readonly [K in keyof T]: T[K] extends Kind<infer C, infer A, infer B, infer N, infer X>
		? K extends C["kind"]
			? Kind<C, A, B, N, X>
			: never
		: never;
};

/** A table of kinds; each kind's key must be the name that its commands carry. */
export const defineKinds = <T extends Kinds<T>>(table: T): T => table;

type CommandOfKind<T> = T extends Kind<infer C, infer _A, infer _B, infer _N, infer _X> ? C : never;
type AnswerOfKind<T> = T extends Kind<infer _C, infer A, infer _B, infer _N, infer _X> ? A : never;

/** Every command of a table of kinds. */
export type CommandOf<T> = CommandOfKind<T[keyof T]>;
/** Every answer to the commands of a table, refusals included. */
export type AnswerOf<T> = AnswerOfKind<T[keyof T]>;

/** Runs the commands of a table. */
export interface Executes<T> {
	/** `requester`: the key behind the command; absent: the operator, or the service itself. */
	execute<K extends keyof T>(
		command: CommandOfKind<T[K]> & { readonly kind: K },
		requester?: Requester | null,
	): Promise<AnswerOfKind<T[K]> | Refusal<"rate_limited" | "unauthorized">>;
}

/**
 * Runs commands of a table inside the caller's transaction and returns all their answers before anything is committed.
 * A refused command changed nothing, but the others did: the caller rolls back if it does not want that. `more`: the
 * rows to lock that the NeedsMoreLocks of an earlier attempt named. `numbered` collects the writes that take numbers of
 * lists: a caller with more to do sends them at the end of its transaction. Without it, they are sent immediately.
 */
export type ExecutesIn<T> = <K extends keyof T>(
	tx: Query,
	commands: readonly (CommandOfKind<T[K]> & { readonly kind: K })[],
	more?: unknown,
	numbered?: NumberedWrite[],
) => Promise<AnswerOfKind<T[K]>[]>;
