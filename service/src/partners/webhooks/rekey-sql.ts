import type { Query } from "../../ground/pg/connect.ts";
import type { SealedSecret } from "./secret.ts";

/** Locks and returns some secrets that are not under the current entry, in the order of their ids. `after`: an id. */
export const selectUnderOthers = (tx: Query, current: string, after: string, limit: number) =>
	tx.query<SealedSecret>(
		`select secret_id as "secretId", ring_id as "ringId", sealed from webhook_secret
		  where ring_id <> $1 and secret_id > $2 order by secret_id limit $3 for update`,
		[current, after, limit],
	);

export const updateSealed = (tx: Query, secrets: readonly SealedSecret[]) =>
	tx.query(
		`update webhook_secret s set ring_id = n.ring_id, sealed = n.sealed
		   from unnest($1::uuid[], $2::text[], $3::bytea[]) n(secret_id, ring_id, sealed) where s.secret_id = n.secret_id`,
		[secrets.map(({ secretId }) => secretId), secrets.map(({ ringId }) => ringId), secrets.map(({ sealed }) => sealed)],
	);

/** The uses of a ring entry: webhook secrets, and key secrets that have not ended. */
export interface RingUse {
	readonly ringId: string;
	readonly webhookSecrets: number;
	readonly keySecrets: number;
	/** The keys of these secrets; a rotation moves them to the current entry. */
	readonly keys: readonly string[];
}

export const selectRingUse = (db: Query) =>
	db.query<RingUse>(
		`with used as (
		   select ring_id, 1 as hooks, 0 as keys, null::text as pk from webhook_secret
		   union all
		   select s.pepper_id, 0, 1, k.pk from key_secret s join api_key k using (key_id)
		    where (s.expires_at is null or s.expires_at > now()) and (k.expires_at is null or k.expires_at > now())
		      and (k.revoke_at is null or k.revoke_at > now()))
		 select ring_id as "ringId", sum(hooks) as "webhookSecrets", sum(keys) as "keySecrets",
		        coalesce(array_agg(distinct pk order by pk) filter (where pk is not null), '{}') as keys
		   from used group by ring_id order by ring_id`,
	);
