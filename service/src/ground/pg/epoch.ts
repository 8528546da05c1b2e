import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";
import { prepared } from "./query.ts";

/** The table of an epoch, whose only row has the last number taken. */
export type Epoch = `${string}_epoch`;

/**
 * Writes rows of a list and takes their numbers. Runs last in its transaction, when everything else is written and
 * locked. Work in several steps collects these writes and runs them after the last step.
 */
export type NumberedWrite = (tx: Query) => Promise<unknown>;

/**
 * Takes the next `count` numbers of an epoch, at least 1, and returns the last of them. The epoch stays locked until
 * the transaction ends, so numbers become visible in order: a reader that has read up to number n misses nothing by
 * asking for those above n. Transactions that take numbers run one after another, so a transaction that partners wait
 * for takes them as its last lock.
 */
export async function takeNumbers(tx: Query, epoch: Epoch, count: number): Promise<number> {
	const { rows } = await tx.query<{ last: number }>("select take_numbers($1, $2) as last", [epoch, count]);
	return must(rows[0], epoch).last;
}

/** Locks an epoch and returns the last number taken, for a change that learns later how many it needs. */
export async function lockEpoch(tx: Query, epoch: Epoch): Promise<number> {
	const { rows } = await tx.query<{ version: number }>(`select version from ${epoch} for update`);
	return must(rows[0], epoch).version;
}

/** How old the time of an epoch is when a node raises it. Less than RAISE_EVERY_MS of tasks.ts. */
const RAISED_AFTER = "interval '4 seconds'";

/**
 * Returns a function that raises the times of epochs to the present, so that the `as_of` of a list that does not
 * change goes on. It never waits: an epoch that is locked is left out, because a change that takes its numbers raises
 * its time.
 */
export function createRaiseTimes(epochs: readonly Epoch[]): (db: Query) => Promise<unknown> {
	const raised = epochs.map(
		(epoch) => `${epoch}_raised as (
		   update ${epoch} e set at = greatest(e.at, date_trunc('milliseconds', clock_timestamp()))
		     from (select one from ${epoch} where at < clock_timestamp() - ${RAISED_AFTER} for update skip locked) free
		    where e.one = free.one)`,
	);
	const statement = prepared("raise_list_times", `with ${raised.join(", ")} select`);
	return (db) => statement(db, []);
}
