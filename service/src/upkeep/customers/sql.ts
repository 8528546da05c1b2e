import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";

/** Who asked for an erasure. */
export interface AskedBy {
	/** `operator:<name>`. */
	readonly actor: string;
	readonly requestId: string;
}

/**
 * Records erased orders: those whose erasure somebody asked for, and those of the sandbox, for whose traces the log of
 * requests is searched once more after `settles` seconds. `by` null: they were erased because of their age.
 */
export const insertErasures = (
	tx: Query,
	orders: readonly { readonly orderId: string; readonly isSandbox: boolean }[],
	by: AskedBy | null,
	settles: number,
): Promise<unknown> =>
	tx.query(
		`insert into customer_erasure as known (order_id, erased_at, asked_by, request_id, log_due_at)
		 select order_id, now(), $3, $4, case when is_sandbox then now() + make_interval(secs => $5) end
		   from unnest($1::uuid[], $2::boolean[]) o(order_id, is_sandbox)
		     on conflict (order_id) do update set log_due_at = excluded.log_due_at
		  where known.log_due_at is null`,
		[
			plainArray(orders.map(({ orderId }) => orderId)),
			plainArray(orders.map(({ isSandbox }) => String(isSandbox))),
			by?.actor ?? null,
			by?.requestId ?? null,
			settles,
		],
	);

/** Takes, for `seconds`, at most `most` orders for which the log is to be searched. */
export async function takeLogsDue(db: Query, most: number, seconds: number): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		`update customer_erasure set log_due_at = now() + make_interval(secs => $2)
		  where order_id = any(array(select order_id from customer_erasure where log_due_at < now()
		                              order by log_due_at limit $1 for update skip locked))
		 returning order_id as id`,
		[most, seconds],
	);
	return rows.map(({ id }) => id).toSorted();
}

/** Keeps taken orders for `seconds` more. */
export const keepLogs = (db: Query, orderIds: readonly string[], seconds: number): Promise<unknown> =>
	db.query(
		`update customer_erasure set log_due_at = now() + make_interval(secs => $2)
		  where order_id = any($1::uuid[]) and log_due_at is not null`,
		[plainArray(orderIds), seconds],
	);

/** All sandbox keys that have requests in the log, revoked ones too. */
export async function selectLoggedSandboxKeys(tx: Query): Promise<string[]> {
	const { rows } = await tx.query<{ id: string }>(
		`select k.key_id as id from api_key k
		  where k.environment = 'sandbox' and exists (select from request_log l where l.sandbox and l.key_id = k.key_id)
		  order by k.key_id`,
	);
	return rows.map(({ id }) => id);
}

/** The sandbox keys of the partner whose sandbox key this is, revoked ones too; none for a live key. */
export async function selectSandboxKeysOf(tx: Query, keyId: string): Promise<string[]> {
	const { rows } = await tx.query<{ id: string }>(
		`select k.key_id as id from api_key own join api_key k using (partner_id, environment)
		  where own.key_id = $1 and environment = 'sandbox' order by k.key_id`,
		[keyId],
	);
	return rows.map(({ id }) => id);
}

/** Records that the search is over. The rows of orders whose erasure nobody asked for are not needed any more. */
export const endLogs = (tx: Query, orderIds: readonly string[]): Promise<unknown> =>
	tx.query(
		`with over as (delete from customer_erasure where order_id = any($1::uuid[]) and asked_by is null)
		 update customer_erasure set log_due_at = null where order_id = any($1::uuid[]) and asked_by is not null`,
		[plainArray(orderIds)],
	);

export interface AskedErasure {
	readonly orderId: string;
	readonly erasedAt: Date;
	readonly askedBy: string;
	readonly requestId: string;
}

/** The erasures that were asked for, by order, the newest order first. */
export const selectErasures = (db: Query, before: string | null, most: number) =>
	db.query<AskedErasure>(
		`select order_id as "orderId", erased_at as "erasedAt", asked_by as "askedBy", request_id as "requestId"
		   from customer_erasure where asked_by is not null and ($1::uuid is null or order_id < $1)
		  order by order_id desc limit $2`,
		[before, most],
	);
