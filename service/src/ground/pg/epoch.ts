import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";

/** The table of an epoch: one row with the last number taken. */
export type Epoch = `${string}_epoch`;

/**
 * Writes rows of a list and takes their numbers. It is sent when everything else of the transaction is written and
 * locked: whoever works in several steps keeps the writes of each step until the last.
 */
export type NumberedWrite = (tx: Query) => Promise<unknown>;

/**
 * Takes the next `count` numbers of an epoch, at least 1, and returns the last of them. The epoch stays locked until
 * the transaction ends, so that numbers become visible in their order: whoever read up to number n misses nothing by
 * asking for those above n. Transactions that take numbers take turns; a transaction that partners wait for therefore
 * takes them as its last lock.
 */
export async function takeNumbers(tx: Query, epoch: Epoch, count: number): Promise<number> {
	const { rows } = await tx.query<{ last: number }>("select take_numbers($1, $2) as last", [epoch, count]);
	return must(rows[0], epoch).last;
}

/**
 * Locks an epoch and returns the last number taken: for a change that compares before it writes, and knows only at its
 * end how many numbers it takes.
 */
export async function lockEpoch(tx: Query, epoch: Epoch): Promise<number> {
	const { rows } = await tx.query<{ version: number }>(`select version from ${epoch} for update`);
	return must(rows[0], epoch).version;
}
