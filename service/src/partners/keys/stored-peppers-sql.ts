import type { Query } from "../../ground/pg/connect.ts";

/** A ring entry with stored secrets: its id, and the number of keys, webhook endpoints and tokens that use it. */
export interface StoredPepper {
	readonly id: string;
	readonly keys: number;
	readonly webhooks: number;
	/** Absent in archives that were written before operators had tokens. */
	readonly tokens?: number;
}

/** Counts only secrets that have not ended: one that was rotated out no longer needs its entry. */
export async function selectStoredPeppers(db: Query): Promise<StoredPepper[]> {
	// an older schema has no webhooks, or no operators
	const { rows: tables } = await db.query<{ webhooks: boolean; operators: boolean }>(
		`select to_regclass('webhook_secret') is not null as webhooks, to_regclass('operator_token') is not null as operators`,
	);
	const ofWebhooks = `union all select ring_id, 0, count(distinct endpoint_id), 0 from webhook_secret
	                     where expires_at is null or expires_at > now() group by 1`;
	const ofOperators = `union all select pepper_id, 0, 0, count(*) from operator_token
	                      where revoked_at is null and (expires_at is null or expires_at > now()) group by 1`;
	const { rows } = await db.query<StoredPepper>(
		`select id, sum(keys)::int as keys, sum(webhooks)::int as webhooks, sum(tokens)::int as tokens from (
		   select pepper_id as id, count(distinct key_id) as keys, 0 as webhooks, 0 as tokens from key_secret
		    where expires_at is null or expires_at > now() group by 1
		   ${tables[0]?.webhooks ? ofWebhooks : ""} ${tables[0]?.operators ? ofOperators : ""}) stored
		  group by 1 order by 2 desc, 1`,
	);
	return rows;
}
