import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { prepared } from "../../ground/pg/query.ts";
import type { BookWithEvents } from "./emit.ts";
import { ALWAYS_RECORDED } from "./endpoint.ts";
import type { PartnerEvent } from "./event.ts";
import { recordTold } from "./record-sql.ts";

/** For a partner without endpoints this costs one index lookup per event. */
const insertEvents = prepared(
	"insert_events",
	`with made as (
	   select * from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[]) with ordinality
	     e(event_id, partner_id, environment, type, order_id, body, place)),
	 told as materialized (
	   select *, $1::timestamptz as created_at, row_number() over (order by place) as n from made e
	    where type in (${ALWAYS_RECORDED.map((type) => `'${type}'`).join(", ")})
	       or exists (select from webhook_endpoint w where w.partner_id = e.partner_id and w.environment = e.environment
	                     and w.deleted_at is null and e.type = any(w.event_types))),${recordTold("$8::uuid")}`,
);

const lockEventEpoch = prepared("lock_event_epoch", "select version from event_epoch for update");

/**
 * Records events. Those of types beyond the contract's are left out where no endpoint of their partner, active or not,
 * chose them. `forEndpoint`: only for this endpoint, whatever types it chose; null: for all endpoints that chose them.
 * The endpoints are read after the numbers are locked. `recover` takes this lock as well, so it sees every event that
 * was recorded while its endpoint was inactive.
 */
export async function writeEvents(
	tx: Query,
	events: readonly PartnerEvent[],
	now: number,
	forEndpoint: string | null = null,
): Promise<void> {
	const columns = [
		...(["eventId", "partnerId", "environment", "type", "orderId"] as const).map((name) =>
			plainArray(events.map((event) => event[name])),
		),
		textArray(events.map(({ body }) => body)),
	];
	await Promise.all([lockEventEpoch(tx, []), insertEvents(tx, [new Date(now).toISOString(), ...columns, forEndpoint])]);
}

/** Writes the events of a book, with the numbers of their list. Null if there are none. */
export function saveEvents({ events, now }: BookWithEvents): NumberedWrite | null {
	return events.length === 0 ? null : (tx) => writeEvents(tx, events, now);
}

/**
 * Locks at most `most` events beyond their retention, oldest first, and returns their numbers. Skips events with
 * pending deliveries, and events locked by a transaction that is about to resend them.
 */
export async function lockOldEvents(tx: Query, days: number, most: number): Promise<number[]> {
	const { rows } = await tx.query<{ seq: number }>(
		`select seq from event e
		  where pruned_at is null and created_at < now() - $1 * interval '1 day'
		    and not exists (select from webhook_delivery d where d.seq = e.seq and d.status = 'pending')
		  order by created_at limit $2 for update skip locked`,
		[days, most],
	);
	return rows.map(({ seq }) => seq);
}

/**
 * Prunes locked events and their deliveries, and returns their number. A separate statement, because it must see what
 * was committed before the lock: a transaction that requeues a delivery locks its event first. Tests are deleted. All
 * others are kept without their body except for the shipment id, which `verify` compares with the orders.
 */
export async function forgetLockedEvents(tx: Query, seqs: readonly number[]): Promise<number> {
	const { rows } = await tx.query<{ count: number }>(
		`with old as materialized (
		   select seq, type, body from event e
		    where seq = any($1::bigint[])
		      and not exists (select from webhook_delivery d where d.seq = e.seq and d.status = 'pending')),
		 told as (delete from webhook_delivery d using old where d.seq = old.seq),
		 tests as (delete from event e using old where e.seq = old.seq and old.type = 'webhook.test'),
		 kept as (
		   update event e set pruned_at = now(), body = json_build_object('pruned', true, 'data', json_build_object(
		     'shipment', json_build_object('shipment_id', old.body::jsonb #>> '{data,shipment,shipment_id}')))::text
		   from old where e.seq = old.seq and old.type <> 'webhook.test')
		 select count(*) as count from old`,
		[seqs],
	);
	return rows[0]?.count ?? 0;
}

/** Removes endpoints that were marked as deleted more than a day ago and have no deliveries left. */
export const forgetEndpoints = (db: Query) =>
	db.query(
		`delete from webhook_endpoint w where deleted_at < now() - interval '1 day'
		   and not exists (select from webhook_delivery d where d.endpoint_id = w.endpoint_id)`,
	);
