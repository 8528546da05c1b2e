import type { Query } from "../pg/connect.ts";
import type { Signature } from "../pg/evidence.ts";
import type { WatchStatement } from "../pg/round-trip.ts";

/** More rows are needed than were locked. Locking them now could deadlock, so the batch begins again. */
export class NeedsMoreLocks<M> extends Error {
	readonly more: M;
	constructor(more: M) {
		super("more rows are needed than were locked");
		this.more = more;
	}
}

/** Whether a command needs a row that was found locked. */
export type Blocked<C> = (command: C) => boolean;

/** The engine's steps. C: commands, A: answers, B: the book of a batch, M: further rows to lock. */
export interface Steps<C, A, B, M> {
	/**
	 * Locks and reads the rows that the commands need. Also writes the signature, as part of one of those statements
	 * or in a separate statement. `signature` null: the caller owns the transaction and its evidence. @throws
	 * NeedsMoreLocks
	 */
	open(tx: Query, commands: readonly C[], signature: Signature | null, more: M | undefined): Promise<B>;
	/** Answers one command and changes the book. Pure. */
	decide(book: B, command: C): A;
	/**
	 * Reads once more, with every lock held, the facts that refusals rest on: they may have changed while the batch
	 * waited for its locks. Null if no refusal needs it. @throws NeedsMoreLocks, in the promise
	 */
	recheck(tx: Query, book: B): Promise<void> | null;
	/** The cost of a command, in lines. */
	weigh(command: C): number;
	/** Queues the statements that write the book back. */
	save(tx: Query, book: B): Promise<unknown>[];
	/** Finds, without waiting, needed rows that others keep locked for longer than a batch does, or null. */
	findBlocked(tx: Query, commands: readonly C[]): Promise<Blocked<C> | null>;
	/** Tokens and references of a command, as in Kind.identities. */
	identities(command: C): readonly string[];
}

/** The key behind a request, for which a command is run; its standing is judged again when the batch decides. */
export interface Requester {
	/** Commands of one key share one fair part of each batch. */
	readonly caller: { readonly keyId: string };
	/** Whether the key may still act, as far as this process knows. "stale": its knowledge is too old to decide. */
	inForce(): boolean | "stale";
	/** Reads the key's state again. Rejects if the database cannot be queried. */
	confirm(): Promise<unknown>;
}

/** A command on its way through the engine. */
export interface Pending<C> {
	readonly command: C;
	/** Null: the operator, or the service itself. */
	readonly requester: Requester | null;
	/** Monotonic milliseconds. */
	readonly arrivedAt: number;
	/** The error of the last attempt, or null. */
	trouble: unknown;
}

/** Records an attempt to run a batch. */
export interface BatchTrace {
	/** A statement of it was answered. Monotonic milliseconds. */
	readonly statement: WatchStatement;
	ended(committed: boolean): void;
}

export interface EngineHooks {
	/** Whether it is known that no server accepts writes. Commands that arrive meanwhile are refused at once. */
	lacksPrimary?(): boolean;
	/** An attempt to run these commands begins; null: it is not traced. */
	traceBatch?(commands: readonly unknown[]): BatchTrace | null;
	/** A batch was committed: the number of commands, and its duration in milliseconds. */
	onBatch?(commands: number, ms: number): void;
	/** A batch failed and is run again or abandoned. */
	onTrouble?(what: string, error: unknown): void;
}
