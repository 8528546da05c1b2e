import type { Query } from "../pg/connect.ts";

/**
 * Forgets the oldest events beyond the time they are kept, at most so many, with their deliveries; an event that waits for an endpoint is
 * never touched. Of an event about an order the fact stays, and the box that it told of, for `verify` holds them against the orders: its
 * bytes are gone. Returns how many.
 */
export async function forgetEvents(db: Query, days: number, most: number): Promise<number> {
	const { rows } = await db.query<{ count: number }>(
		`with old as (
		   select seq, order_id, body from event e
		    where pruned_at is null and created_at < now() - $1 * interval '1 day'
		      and not exists (select from webhook_delivery d where d.seq = e.seq and d.status = 'pending')
		    order by created_at limit $2 for update skip locked),
		 told as (delete from webhook_delivery d using old where d.seq = old.seq and d.status <> 'pending'),
		 tests as (delete from event e using old where e.seq = old.seq and old.order_id is null),
		 kept as (
		   update event e set pruned_at = now(), body = json_build_object('pruned', true, 'data', json_build_object(
		     'shipment', json_build_object('shipment_id', old.body::jsonb #>> '{data,shipment,shipment_id}')))::text
		   from old where e.seq = old.seq and old.order_id is not null)
		 select count(*) as count from old`,
		[days, most],
	);
	return rows[0]?.count ?? 0;
}

/** Deleted endpoints of which nothing is kept any more. */
export const forgetEndpoints = (db: Query) =>
	db.query(
		`delete from webhook_endpoint w where deleted_at < now() - interval '1 day'
		   and not exists (select from webhook_delivery d where d.endpoint_id = w.endpoint_id)`,
	);
