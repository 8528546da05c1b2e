import type { Query } from "../../ground/pg/connect.ts";

/**
 * The numbers of the oldest events that are older than they are kept, at most so many, locked for the rest of the
 * transaction. Left out are those that wait for an endpoint, and those that somebody is about to send again, who has
 * them locked.
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
 * Forgets events that this transaction has locked, with their deliveries. It is a statement of its own, because it must
 * see what was committed before they were locked: whoever makes a delivery pending again locks its event first. Of an
 * event about an order the fact stays, and the box that it told of, for `verify` holds them against the orders: its
 * bytes are gone. Returns how many were forgotten.
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

/** Deleted endpoints of which nothing is kept any more. */
export const forgetEndpoints = (db: Query) =>
	db.query(
		`delete from webhook_endpoint w where deleted_at < now() - interval '1 day'
		   and not exists (select from webhook_delivery d where d.endpoint_id = w.endpoint_id)`,
	);
