import type { Query } from "../../ground/pg/connect.ts";

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
 * was committed before the lock: a transaction that requeues a delivery locks its event first. Events about an order
 * are kept without their body except for the shipment id, which `verify` compares with the orders.
 */
export async function forgetLockedEvents(tx: Query, seqs: readonly number[]): Promise<number> {
	const { rows } = await tx.query<{ count: number }>(
		`with old as materialized (
		   select seq, order_id, body from event e
		    where seq = any($1::bigint[])
		      and not exists (select from webhook_delivery d where d.seq = e.seq and d.status = 'pending')),
		 told as (delete from webhook_delivery d using old where d.seq = old.seq),
		 tests as (delete from event e using old where e.seq = old.seq and old.order_id is null),
		 kept as (
		   update event e set pruned_at = now(), body = json_build_object('pruned', true, 'data', json_build_object(
		     'shipment', json_build_object('shipment_id', old.body::jsonb #>> '{data,shipment,shipment_id}')))::text
		   from old where e.seq = old.seq and old.order_id is not null)
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
