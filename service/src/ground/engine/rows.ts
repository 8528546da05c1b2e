import type { Query } from "../pg/connect.ts";
import type { NumberedWrite } from "../pg/epoch.ts";

/** Puts rows that were read into the book. @throws NeedsMoreLocks */
export type Fill<B> = (book: B) => void;

/**
 * Rows of a room, as data. The list of all rooms' rows is the order in which they are locked. N: the needs of a batch,
 * B: its book, L: rows that another transaction keeps locked.
 */
export interface Rows<N, B, L> {
	/** Finds, without locks, the rows that operators' commands concern, and adds them to the needs. */
	find?(tx: Query, needs: N): Promise<void>;
	/** Queues the locking statements in this turn of the event loop. */
	lock?(tx: Query, needs: N): Promise<Fill<B>>;
	/** Queues the statements that read under all locks, in this turn of the event loop. */
	read?(tx: Query, needs: N): Promise<Fill<B>>;
	/**
	 * Reads further rows, if the filled book shows that they are needed; null if not. @throws NeedsMoreLocks, or
	 * rejects with it
	 */
	loadDependents?(tx: Query, book: B, needs: N): Promise<void> | null;
	/** Applies the passage of time to the book. Pure. */
	expire?(book: B): void;
	/**
	 * Reads once more, with every lock held, the facts that refusals rest on: they may have changed while the batch
	 * waited for its locks. Null if no refusal needs it. @throws NeedsMoreLocks, in the promise
	 */
	recheck?(tx: Query, book: B): Promise<void> | null;
	/**
	 * After each decision, propagates changes of rows that come earlier in the list, such as a hold that lost units.
	 * Pure.
	 */
	propagate?(book: B): void;
	/** Queues the statements that write the book's changes, except for those that `saveNumbered` writes. */
	save?(tx: Query, book: B): Promise<unknown>[];
	/** Writes the changes that take numbers of a list, whose locks come last. Null if there are none. Pure. */
	saveNumbered?(book: B): NumberedWrite | null;
	/** Finds, without waiting, needed rows that others keep locked, and adds them to `locked`. True if any. */
	findLocked?(tx: Query, needs: N, locked: L): Promise<boolean>;
	/** Whether a command with these needs uses a row that was found locked. Pure. */
	conflictsWith?(needs: N, locked: L): boolean;
}
