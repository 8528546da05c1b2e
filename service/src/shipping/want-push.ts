import { enqueue } from "../jobs/enqueue.ts";
import { newJob } from "../jobs/job.ts";
import { plainArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import { PUSH_ORDER } from "./job-names.ts";
import { insertPushes, wantPushesAgain } from "./sql.ts";

/**
 * Notes in the caller's transaction that these orders are to be handed to the label platform, and adds the jobs that do it. With the
 * built-in queue nobody calls this. Orders that are noted already stay as they are.
 */
export async function wantPush(tx: Query, orderIds: readonly string[]): Promise<void> {
	if (orderIds.length === 0) return;
	// one write, one answer
	await Promise.all([insertPushes(tx, [plainArray(orderIds)]), addPushJobs(tx, orderIds)]);
}

/**
 * The same for orders that the platform cancelled or did not accept, once what was wrong is mended: an order that comes off its hold, say.
 * Others stay as they are.
 */
export async function wantPushAgain(tx: Query, orderIds: readonly string[]): Promise<void> {
	if (orderIds.length === 0) return;
	const wanted = await wantPushesAgain(tx, [plainArray(orderIds)]);
	await addPushJobs(
		tx,
		wanted.map(([orderId]) => orderId),
	);
}

const addPushJobs = (tx: Query, orderIds: readonly string[]): Promise<void> =>
	enqueue(
		tx,
		orderIds.map((orderId) => newJob(PUSH_ORDER, orderId, { orderId })),
	);
