import type { Query } from "../../ground/pg/connect.ts";

/** From now on, new events of a sandbox endpoint wait for `seconds`; 0: they no longer wait. */
export const setLate = (tx: Query, endpointId: string, seconds: number): Promise<unknown> =>
	tx.query(
		`update webhook_endpoint set late_until = case when $2 > 0 then clock_timestamp() + make_interval(secs => $2) end
		  where endpoint_id = $1 and environment = 'sandbox'`,
		[endpointId, seconds],
	);

/** Ends this wait for all sandbox endpoints of a partner. Events that wait already are still late. */
export const clearLate = (tx: Query, partnerId: string): Promise<unknown> =>
	tx.query(
		`update webhook_endpoint set late_until = null
		  where partner_id = $1 and environment = 'sandbox' and late_until is not null`,
		[partnerId],
	);

/**
 * Chooses the first event since a time that waits for this endpoint, to be sent late, and makes the others due at once.
 * Returns the id of its delivery; null: none waits.
 */
export async function selectLate(tx: Query, endpointId: string, since: Date): Promise<string | null> {
	const { rows } = await tx.query<{ id: string }>(
		`with waiting as materialized (
		   select seq, delivery_id from webhook_delivery
		    where endpoint_id = $1 and status = 'pending' and next_attempt_at > clock_timestamp() and failures = 0
		      and attempts = '[]' and created_at >= $2 for update),
		 late as materialized (select seq, delivery_id from waiting order by seq limit 1),
		 others as (
		   update webhook_delivery d set next_attempt_at = clock_timestamp() from waiting
		    where d.endpoint_id = $1 and d.seq = waiting.seq and d.seq <> (select seq from late))
		 select delivery_id as id from late`,
		[endpointId, since],
	);
	return rows[0]?.id ?? null;
}
