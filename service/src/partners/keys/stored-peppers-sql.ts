import type { Query } from "../../ground/pg/connect.ts";

/** A ring entry with stored secrets: its id, and the number of keys and webhook endpoints that use it. */
export interface StoredPepper {
	readonly id: string;
	readonly keys: number;
	readonly webhooks: number;
}

/** Counts only secrets that have not ended: one that was rotated out no longer needs its entry. */
export async function selectStoredPeppers(db: Query): Promise<StoredPepper[]> {
	const { rows: tables } = await db.query<{ there: boolean }>(
		"select to_regclass('webhook_secret') is not null as there", // an older schema has no webhooks
	);
	const sealed = `union all select ring_id, 0, count(distinct endpoint_id) from webhook_secret
	                 where expires_at is null or expires_at > now() group by 1`;
	const { rows } = await db.query<StoredPepper>(
		`select id, sum(keys)::int as keys, sum(webhooks)::int as webhooks from (
		   select pepper_id as id, count(distinct key_id) as keys, 0 as webhooks from key_secret
		    where expires_at is null or expires_at > now() group by 1
		   ${tables[0]?.there ? sealed : ""}) stored
		  group by 1 order by 2 desc, 1`,
	);
	return rows;
}
