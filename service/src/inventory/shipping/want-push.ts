import { enqueue } from "../../ground/jobs/enqueue.ts";
import { newJob } from "../../ground/jobs/job.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { FOLLOW_ORDER, PUSH_ORDER } from "./job-names.ts";
import { selectForgotten, wantPushes } from "./sql.ts";

/** Minutes after which an order that waits and that the platform is not to be told of counts as forgotten. */
const FORGOTTEN_MINUTES = 2;
/** Orders that one look for forgotten ones hands over. */
const FORGOTTEN_AT_ONCE = 500;

/**
 * Notes in the caller's transaction that these orders are to be handed to the label platform, and adds the jobs that do
 * it. With the built-in queue nobody calls this. Orders that wait for it, or that the platform has, stay as they are;
 * those that it cancelled or did not accept are handed over again. `stopped`: orders whose boxes are to stand still
 * there, or not to be shipped at all. Both statements are queued in this turn of the event loop.
 */
export async function wantPush(tx: Query, orderIds: readonly string[], stopped: readonly string[] = []): Promise<void> {
	const ids = [...new Set(orderIds)].toSorted(); // locked in one order by everybody
	const jobs = [
		...ids.map((orderId) => newJob(PUSH_ORDER, orderId, { orderId })),
		...stopped.map((orderId) => newJob(FOLLOW_ORDER, orderId, { orderId })),
	];
	await Promise.all([ids.length === 0 ? null : wantPushes(tx, [plainArray(ids)]), enqueue(tx, jobs)]);
}

/** Has orders handed over that wait here without the platform being told of them, and says how many. */
export const pushForgotten = (db: Database): Promise<number> =>
	transaction(db, async (tx) => {
		const forgotten = await selectForgotten(tx, [FORGOTTEN_MINUTES, FORGOTTEN_AT_ONCE]);
		await wantPush(
			tx,
			forgotten.map(([orderId]) => orderId),
		);
		return forgotten.length;
	});
