import type { Refusal } from "../lib/refusal.ts";
import type { KnownSizes } from "./known-sizes.ts";
import type { Requester } from "./steps.ts";

/** Codes for a conflict with another transaction that outlives the deadline. */
export type LastingConflict = "retry" | "hold_race" | "rate_limited";

/** The codes among what a command may be answered. */
type CodeIn<A> = A extends Refusal<infer C> ? C : never;

/**
 * One kind of command, as data: a room exports one for each thing that can be asked of it. C: the command, A: its
 * answer, B: the part of the book that its rule touches, N: the needs that it may name, X: what its needs are looked up
 * in.
 */
export interface Kind<C extends { readonly kind: string }, A, B, N, X> {
	/**
	 * False: the command says by itself, with the catalogue in memory, what it needs. True: it names rows that only the
	 * database knows, and may come with a catalogue that its own transaction has changed, so both are looked up first.
	 * That costs its whole batch two round trips, so it is for operators' commands.
	 */
	readonly looksUp: boolean;
	/**
	 * How a conflict with another transaction that outlives the deadline is answered: a code that the command can be
	 * answered anyway. Absent: `rate_limited`.
	 */
	readonly conflict?: "rate_limited" | Extract<CodeIn<A>, LastingConflict>;
	/** Adds what must be locked and read before the command can be decided. Pure. */
	needs(needs: N, command: C, lookup: X): void;
	/**
	 * Answers the command and changes the book, unless the answer is a refusal. Pure: no clock, no randomness, no
	 * database.
	 */
	decide(book: B, command: C): A;
	/** How much work the command is, in lines; absent: as much as a usual hold. */
	weigh?(command: C, sizes: KnownSizes): number;
	/** Remembers, of a command that was decided, how large a thing is that later commands may name. */
	note?(command: C, answer: A, sizes: KnownSizes): void;
	/**
	 * Tokens and references by which the command is repeated or continued: commands that share one are decided in the
	 * order they came. Absent: none, each command is an effect of its own.
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

/** A table of kinds; each kind must stand under the name that its commands carry. */
export const defineKinds = <T extends Kinds<T>>(table: T): T => table;

type CommandOfKind<T> = T extends Kind<infer C, infer _A, infer _B, infer _N, infer _X> ? C : never;
type AnswerOfKind<T> = T extends Kind<infer _C, infer A, infer _B, infer _N, infer _X> ? A : never;

/** Every command of a table of kinds. */
export type CommandOf<T> = CommandOfKind<T[keyof T]>;
/** What the commands of a table are answered, refusals included. */
export type AnswerOf<T> = AnswerOfKind<T[keyof T]>;

/** Carries out the commands of a table. */
export interface Executes<T> {
	/** `requester`: the key behind the command; absent: the operator, or the service itself. */
	execute<K extends keyof T>(
		command: CommandOfKind<T[K]> & { readonly kind: K },
		requester?: Requester | null,
	): Promise<AnswerOfKind<T[K]> | Refusal<"rate_limited" | "unauthorized">>;
}
