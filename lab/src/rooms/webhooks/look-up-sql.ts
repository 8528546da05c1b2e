import type pg from "pg";
import type { DeliveryFact, EndpointFact, EventFact, WebhookFacts } from "./notes.ts";

const EVENTS = `
	select e.event_id as "eventId", p.name as partner,
	       case when e.type = 'webhook.test' then e.body::jsonb #>> '{data,endpoint_id}' end as only, encode(sha256(convert_to(e.body, 'UTF8')), 'hex') as digest
	  from event e join partner p using (partner_id) order by e.seq`;
const DELIVERIES = `
	select endpoint_id as "endpointId", event_id as "eventId", status, failures,
	       (extract(epoch from clock_timestamp() - next_attempt_at) * 1000)::float8 as "dueForMs"
	  from webhook_delivery order by seq`;
const ENDPOINTS = `select endpoint_id as "endpointId", inactive_reason as "inactiveReason" from webhook_endpoint`;

export async function lookUpWebhooks(db: pg.Pool): Promise<WebhookFacts> {
	const events = await db.query<EventFact>(EVENTS);
	const deliveries = await db.query<DeliveryFact>(DELIVERIES);
	const endpoints = await db.query<EndpointFact>(ENDPOINTS);
	return { events: events.rows, deliveries: deliveries.rows, endpoints: endpoints.rows };
}

// deliveries being sent are due already, so this does not touch them; locked rows are skipped
const TURN = `
	update webhook_delivery d set next_attempt_at = clock_timestamp() + $1 * interval '1 millisecond'
	  from (select endpoint_id, seq from webhook_delivery
	         where status = 'pending' and next_attempt_at > clock_timestamp() + $1 * interval '1 millisecond'
	         for update skip locked) far
	 where d.endpoint_id = far.endpoint_id and d.seq = far.seq`;

/** Brings forward attempts that are further away than this, in milliseconds, as if the time between had passed. */
export async function turnTime(db: pg.Pool, mostMs: number): Promise<void> {
	await db.query(TURN, [mostMs]);
}

/** Milliseconds; a longer lease was taken while the clock was wrong. */
const LONGEST_LEASE_MS = 31_000;

/** Ends leases that were taken while the server's clock was ahead. */
export async function endStrangeLeases(db: pg.Pool): Promise<void> {
	await db.query(
		"update webhook_endpoint set sending_until = clock_timestamp() where sending_until > clock_timestamp() + $1 * interval '1 millisecond'",
		[LONGEST_LEASE_MS],
	);
}

export async function inactiveEndpoints(db: pg.Pool): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		"select endpoint_id as id from webhook_endpoint where status = 'inactive'",
	);
	return rows.map(({ id }) => id);
}

/** Whether any delivery is pending. */
export async function isAnyPending(db: pg.Pool): Promise<boolean> {
	const { rowCount } = await db.query("select from webhook_delivery where status = 'pending' limit 1");
	return rowCount !== 0;
}
