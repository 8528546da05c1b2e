import type { Query } from "../../ground/pg/connect.ts";
import { clearExcerpts, lockEventsOf, updateBodies } from "./forget-details-sql.ts";
import { withoutDetail } from "./without-detail.ts";

/**
 * Removes from the events of these orders, and from their deliveries, everything that may contain a customer's data:
 * the words that people typed, and what receivers answered. The events and their deliveries stay.
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
