import { enqueue } from "../../ground/jobs/enqueue.ts";
import { newJob } from "../../ground/jobs/job.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { FOLLOW_ORDER, PUSH_ORDER } from "./job-names.ts";
import { selectForgotten, wantPushes } from "./sql.ts";

/** Minutes after which a waiting order without a pending push counts as forgotten. */
const FORGOTTEN_MINUTES = 2;
/** Maximum number of forgotten orders pushed per run. */
const FORGOTTEN_AT_ONCE = 500;

/**
 * Marks orders to be pushed to the label platform, in the caller's transaction, and enqueues the jobs. Never called
 * with the built-in queue. Orders that wait for a push, or that the platform has, are unchanged; cancelled or rejected
 * ones are pushed again. `stopped`: orders whose boxes must be stopped on the platform or must not ship. Both
 * statements are queued in the current turn of the event loop.
 */
export async function wantPush(tx: Query, orderIds: readonly string[], stopped: readonly string[] = []): Promise<void> {
	const ids = [...new Set(orderIds)].toSorted(); // fixed lock order
	const jobs = [
		...ids.map((orderId) => newJob(PUSH_ORDER, orderId, { orderId })),
		...stopped.map((orderId) => newJob(FOLLOW_ORDER, orderId, { orderId })),
	];
	await Promise.all([ids.length === 0 ? null : wantPushes(tx, [plainArray(ids)]), enqueue(tx, jobs)]);
}

/** Pushes waiting orders without a pending push; returns how many. */
export const pushForgotten = (db: Database): Promise<number> =>
	transaction(db, async (tx) => {
		const forgotten = await selectForgotten(tx, [FORGOTTEN_MINUTES, FORGOTTEN_AT_ONCE]);
		await wantPush(
			tx,
			forgotten.map(([orderId]) => orderId),
		);
		return forgotten.length;
	});
