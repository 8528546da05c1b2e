import { randomUUID } from "node:crypto";
import type { Database } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { eventOf } from "../../src/partners/webhooks/event.ts";
import { writeEvents } from "../../src/partners/webhooks/sql.ts";

interface Whom {
	readonly partnerId: string;
	readonly environment: "live" | "sandbox";
}

/**
 * Records events `order.held` about orders that do not exist, in one transaction, as a batch of the engine does.
 * Returns their ids.
 */
export async function recordEvents(db: Database, whom: Whom, count: number, detail = "test"): Promise<string[]> {
	const now = Date.now();
	const events = Array.from({ length: count }, () =>
		eventOf(
			"order.held",
			whom,
			{
				order_id: randomUUID(),
				ref: "cart",
				external_order_id: null,
				order_status: "held",
				order_version: 2,
				reason: "operator",
				detail,
				action: "manufacturer",
			},
			now,
		),
	);
	await transaction(db, (tx) => writeEvents(tx, events, now));
	return events.map(({ eventId }) => eventId);
}

/**
 * Moves every time on which sending depends back by this many milliseconds, as if they had passed. Settled deliveries
 * are left alone.
 */
export async function letTimePass(db: Database, ms: number): Promise<void> {
	const back = "- $1 * interval '1 millisecond'";
	// the endpoints are locked first, as their senders do
	await db.query(
		`with mine as materialized (select endpoint_id from webhook_endpoint order by endpoint_id for update)
		 update webhook_delivery d set next_attempt_at = d.next_attempt_at ${back}, created_at = d.created_at ${back}
		   from mine where d.endpoint_id = mine.endpoint_id and d.status = 'pending'`,
		[ms],
	);
	await db.query(
		`update webhook_endpoint set failing_since = failing_since ${back}, warned_at = warned_at ${back}, sending_until = sending_until ${back}`,
		[ms],
	);
	await db.query(`update webhook_secret set expires_at = expires_at ${back}, created_at = created_at ${back}`, [ms]);
}
