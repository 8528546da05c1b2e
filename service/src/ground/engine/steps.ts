import type { Query } from "../pg/connect.ts";
import type { Signature } from "../pg/evidence.ts";

/**
 * More rows are needed than were locked; locking them now could meet another transaction's order, so the batch begins
 * again.
 */
export class NeedsMoreLocks<M> extends Error {
	readonly more: M;
	constructor(more: M) {
		super("more rows are needed than were locked");
		this.more = more;
	}
}

/** Says of a command whether it needs a row that was found locked. */
export type Blocked<C> = (command: C) => boolean;

/**
 * What the engine runs: load, decide, save. C: commands, A: answers, B: the book of a batch, M: what else must be
 * locked.
 */
export interface Steps<C, A, B, M> {
	/**
	 * Locks and reads what the commands need, and writes the signature, by one of its statements or by one of the
	 * signature's own. `signature` null: the transaction is the caller's, and so is its evidence. @throws
	 * NeedsMoreLocks
	 */
	open(tx: Query, commands: readonly C[], signature: Signature | null, more: M | undefined): Promise<B>;
	/** Pure: answers one command and changes the book. */
	decide(book: B, command: C): A;
	/**
	 * Asks once more, with every lock held, for what refusals rest on: it may have changed while the batch waited for
	 * its locks. Null: nothing needs it. @throws NeedsMoreLocks, in the promise
	 */
	recheck(tx: Query, book: B): Promise<void> | null;
	/** How much work a command is, in lines. */
	weigh(command: C): number;
	/** Queues the statements that write the book back. */
	save(tx: Query, book: B): Promise<unknown>[];
	/**
	 * Finds, without waiting, the rows that the commands need and that another transaction keeps locked: not just for a
	 * moment, as a batch does. Null: there are none.
	 */
	findBlocked(tx: Query, commands: readonly C[]): Promise<Blocked<C> | null>;
	/**
	 * Tokens and references by which a command is repeated or continued: commands that share one are decided in the
	 * order they came.
	 */
	identities(command: C): readonly string[];
}

/**
 * On whose behalf a command is carried out: the key behind a request, whose standing is judged again when the batch
 * decides.
 */
export interface Requester {
	/** Commands of one key share one fair part of each batch. */
	readonly caller: { readonly keyId: string };
	/** May it still act? Judged from memory; "stale": memory is too old to say. */
	inForce(): boolean | "stale";
	/** Brings memory up to date. Rejects when the database cannot be asked. */
	confirm(): Promise<unknown>;
}

/** A command on its way through the engine. */
export interface Pending<C> {
	readonly command: C;
	/** Null: the operator, or the service itself. */
	readonly requester: Requester | null;
	/** Monotonic milliseconds. */
	readonly arrivedAt: number;
	/** The last error that an attempt met, or null. */
	trouble: unknown;
}

export interface EngineHooks {
	/** A batch was committed: how many commands, milliseconds it took. */
	onBatch?(commands: number, ms: number): void;
	/** A batch failed and is run again or given up. */
	onTrouble?(what: string, error: unknown): void;
}
