import { randomUUID } from "node:crypto";
import { must } from "../../src/ground/lib/assert.ts";
import type { Database } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { eventOf, testEvent } from "../../src/partners/webhooks/event.ts";
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

/** A delivery to this endpoint that was made before, without anything being posted; its id. */
export async function deliveredTo(db: Database, endpointId: string): Promise<string> {
	return await transaction(db, async (tx) => {
		const { rows } = await tx.query<Whom>(
			`select partner_id as "partnerId", environment from webhook_endpoint where endpoint_id = $1`,
			[endpointId],
		);
		const now = Date.now();
		const event = testEvent(must(rows[0], "the endpoint"), endpointId, randomUUID(), now);
		await writeEvents(tx, [event], now, endpointId);
		const made = await tx.query<{ id: string }>(
			`update webhook_delivery set status = 'delivered', next_attempt_at = null, settled_at = now()
			  where endpoint_id = $1 and event_id = $2 returning delivery_id as id`,
			[endpointId, event.eventId],
		);
		return must(made.rows[0], "the delivery").id;
	});
}

/**
 * Moves every time on which sending depends back by this many milliseconds, as if they had passed. Settled deliveries
 * are left alone. One transaction: a sender that finds a delivery due also finds for how long its endpoint has failed.
 */
export const letTimePass = (db: Database, ms: number): Promise<void> =>
	transaction(db, async (tx) => {
		const back = "- $1 * interval '1 millisecond'";
		// the endpoints are locked first, as their senders do
		await tx.query("select from webhook_endpoint order by endpoint_id for update");
		await tx.query(
			`update webhook_endpoint set failing_since = failing_since ${back}, warned_at = warned_at ${back}, sending_until = sending_until ${back}`,
			[ms],
		);
		await tx.query(
			`update webhook_delivery set next_attempt_at = next_attempt_at ${back}, created_at = created_at ${back} where status = 'pending'`,
			[ms],
		);
		await tx.query(`update webhook_secret set expires_at = expires_at ${back}, created_at = created_at ${back}`, [ms]);
	});
