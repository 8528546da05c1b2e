import type { Query } from "../pg/connect.ts";
import type { NumberedWrite } from "../pg/epoch.ts";

/** Puts rows that were read into the book. @throws NeedsMoreLocks */
export type Fill<B> = (book: B) => void;

/**
 * Rows of a room, as data. The list of all rooms' rows is the order in which they are locked. N: the needs of a batch,
 * B: its book, L: rows found locked by somebody else.
 */
export interface Rows<N, B, L> {
	/** Finds, without locks, which rows operators' commands are about, and adds them to the needs. */
	find?(tx: Query, needs: N): Promise<void>;
	/** Queues the statements that lock, in this turn of the event loop. */
	lock?(tx: Query, needs: N): Promise<Fill<B>>;
	/** Queues the statements that read under all locks, in this turn of the event loop. */
	read?(tx: Query, needs: N): Promise<Fill<B>>;
	/**
	 * Reads what only the filled book shows to be missing. Null: nothing is. @throws NeedsMoreLocks, also in the
	 * promise
	 */
	loadDependents?(tx: Query, book: B, needs: N): Promise<void> | null;
	/** Does in the book what time has done. Pure. */
	expire?(book: B): void;
	/**
	 * Asks once more, with every lock held, for what refusals rest on: it may have changed while the batch waited for
	 * its locks. Null: nothing needs it. @throws NeedsMoreLocks, in the promise
	 */
	recheck?(tx: Query, book: B): Promise<void> | null;
	/**
	 * Changes these rows, after each decision, as the rows to their left demand: an order whose hold lost units. Pure.
	 */
	propagate?(book: B): void;
	/** Queues the statements that write what the book's commands did. */
	save(tx: Query, book: B): Promise<unknown>[];
	/**
	 * What the book's commands did that takes numbers of a list: the last locks, after all rows are saved. Null:
	 * nothing. Pure.
	 */
	assignNumbers?(book: B): NumberedWrite | null;
	/**
	 * Finds, without waiting, which of the needed rows somebody else keeps locked, and notes them. True: there are
	 * some.
	 */
	findLocked?(tx: Query, needs: N, locked: L): Promise<boolean>;
	/** Does a command with these needs meet a row that was found locked? Pure. */
	conflictsWith?(needs: N, locked: L): boolean;
}
