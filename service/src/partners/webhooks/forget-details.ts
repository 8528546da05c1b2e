import type { Query } from "../../ground/pg/connect.ts";
import { clearExcerpts, lockEventsOf, updateBodies } from "./forget-details-sql.ts";
import { withoutDetail } from "./without-detail.ts";

/**
 * Takes out of the events of these orders, and of their deliveries, everything that may have a customer's data in it:
 * the words that people typed, and what receivers answered. What was told stays, and so does who was told.
 */
export async function forgetDetails(tx: Query, orderIds: readonly string[]): Promise<void> {
	const events = await lockEventsOf(tx, orderIds);
	if (events.length === 0) return;
	const told = events.flatMap(({ seq, body }) => {
		const without = withoutDetail(body);
		return without === null ? [] : [{ seq, body: without }];
	});
	if (told.length > 0) await updateBodies(tx, told);
	await clearExcerpts(
		tx,
		events.map(({ seq }) => seq),
	);
}
