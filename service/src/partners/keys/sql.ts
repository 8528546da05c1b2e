import type { Environment, Scope } from "../../glossary.ts";
import type { Stamped } from "../../ground/lib/stamped.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { takeNumbers } from "../../ground/pg/epoch.ts";
import { epochMs, NOW_MS } from "../../ground/pg/query.ts";

/** A key as stored, with its secrets. Instants are epoch milliseconds by the database clock. */
export interface KeyRow {
	readonly keyId: string;
	readonly pk: string;
	readonly partnerId: string;
	readonly partner: string;
	readonly name: string;
	readonly environment: Environment;
	readonly poolId: number | null;
	readonly brandCode: string | null;
	readonly sharedPool: boolean;
	readonly scopes: Scope[];
	readonly requestsPerMinute: number;
	readonly maxHeldUnits: number | null;
	readonly suspended: boolean;
	readonly createdAt: number;
	readonly expiresAt: number | null;
	readonly revokeAt: number | null;
	/** Until then it is refused for a drill of its go-live. */
	readonly drillUntil: number | null;
	/** Until then the sandbox is unkind to it, for its go-live. */
	readonly unkindUntil: number | null;
	/** The number of the go-live report with which it was minted. */
	readonly goLiveReport: number | null;
	readonly secrets: SecretRow[];
}

export interface SecretRow {
	readonly digest: string;
	readonly pepperId: string;
	readonly createdAt: number;
	readonly expiresAt: number | null;
}

/** A key as one JSON object: a KeyRow. */
export const KEY = `jsonb_build_object(
    'keyId', k.key_id, 'pk', k.pk, 'partnerId', k.partner_id, 'partner', p.name, 'name', k.name,
    'environment', k.environment, 'poolId', k.pool_id, 'brandCode', b.brand_code, 'sharedPool', k.shared_pool,
    'scopes', to_jsonb(k.scopes), 'requestsPerMinute', k.requests_per_minute, 'maxHeldUnits', k.max_held_units,
    'suspended', k.suspended, 'createdAt', ${epochMs("k.created_at")}, 'expiresAt', ${epochMs("k.expires_at")},
    'revokeAt', ${epochMs("k.revoke_at")}, 'drillUntil', ${epochMs("k.drill_until")}, 'unkindUntil', ${epochMs("k.unkind_until")},
    'goLiveReport', k.golive_number,
    'secrets', (select coalesce(jsonb_agg(jsonb_build_object('digest', encode(s.digest, 'hex'),
        'pepperId', s.pepper_id, 'createdAt', ${epochMs("s.created_at")}, 'expiresAt', ${epochMs("s.expires_at")})
        order by s.created_at), '[]') from key_secret s where s.key_id = k.key_id))`;
export const KEY_JOINS = "join partner p using (partner_id) left join pool b on b.pool_id = k.pool_id";

/** The latest change of the keys. */
export interface KeyEpoch extends Stamped {
	readonly version: number;
}
export interface KeyChanges extends KeyEpoch {
	/** The database's time in epoch milliseconds. */
	readonly nowMs: number;
	/** Whether the server takes writes: it is neither a standby nor set to be read only. */
	readonly takesWrites: boolean;
	/** True: these are all keys; false: only those changed since. */
	readonly whole: boolean;
	readonly keys: KeyRow[];
}

/**
 * The database's time, the latest change, and the keys changed since `seen`; all keys if `seen` does not belong to the
 * epoch's history. One statement, hence one snapshot.
 */
export async function keysChangedSince(db: Query, seen: KeyEpoch): Promise<KeyChanges> {
	const { rows } = await db.query<KeyEpoch & { now: number; takesWrites: boolean; whole: boolean; key: KeyRow | null }>(
		`with e as materialized (
		   select version, stamp, coalesce((select version from epoch_log l
		           where l.epoch = 'key_epoch' and l.version = $1 and l.stamp = $2), -1) as since
		     from key_epoch)
		 select ${NOW_MS} as now, e.version, e.stamp, e.since < 0 as whole, c.key,
		        not (pg_is_in_recovery() or current_setting('transaction_read_only')::boolean) as "takesWrites"
		   from e left join lateral (select ${KEY} as key from api_key k ${KEY_JOINS} where k.version > e.since) c on true`,
		[seen.version, seen.stamp],
	);
	const [first] = rows;
	if (first === undefined) throw new Error("bug: key_epoch has no row");
	const { now, version, stamp, whole, takesWrites } = first;
	return { nowMs: now, version, stamp, whole, takesWrites, keys: rows.flatMap(({ key }) => key ?? []) };
}

/** Takes the lock that orders all changes of keys, and the next version. Call it before any key is read or changed. */
export const nextKeyVersion = (tx: Query): Promise<number> => takeNumbers(tx, "key_epoch", 1);

/** The keys that a selector may mean: a public half, a name, or `partner/name`; with the database's time. */
export async function keysNamed(tx: Query, selector: string): Promise<{ nowMs: number; keys: KeyRow[] }> {
	const { rows } = await tx.query<{ now: number; key: KeyRow }>(
		`select ${NOW_MS} as now, ${KEY} as key from api_key k ${KEY_JOINS} where k.pk = $1 or k.name = $1 or $1 in (p.name || '/' || k.name, p.name || ' / ' || k.name)
		  order by k.pk = $1 desc, p.name`,
		[selector],
	);
	return { nowMs: rows[0]?.now ?? 0, keys: rows.map(({ key }) => key) };
}

/** Key names, to suggest one for an unknown name. */
export const selectKeyNames = async (db: Query): Promise<string[]> =>
	(await db.query<{ name: string }>("select distinct name from api_key order by 1 limit 100000")).rows.map(
		({ name }) => name,
	);
export const selectPartnerNames = async (db: Query): Promise<string[]> =>
	(await db.query<{ name: string }>("select name from partner order by 1 limit 100000")).rows.map(({ name }) => name);

export interface ListedPartner {
	readonly partnerId: string;
	readonly name: string;
	/** Keys that work, or would if they were not suspended. */
	readonly keys: number;
	/** Keys that were revoked or have expired. */
	readonly endedKeys: number;
	readonly endpoints: number;
	readonly createdAt: Date;
}
export const SELECT_PARTNERS = `select p.partner_id as "partnerId", p.name, coalesce(k.keys, 0)::int as keys, coalesce(k.ended, 0)::int as "endedKeys",
        (select count(*)::int from webhook_endpoint e where e.partner_id = p.partner_id and e.deleted_at is null) as endpoints,
        p.created_at as "createdAt"
   from partner p left join lateral (
     select count(*) filter (where not ended) as keys, count(*) filter (where ended) as ended
       from (select coalesce(least(revoke_at, expires_at) <= clock_timestamp(), false) as ended
               from api_key where partner_id = p.partner_id) e) k on true`;
/** Renames a partner. Its keys get the version, so that nodes read them again. */
export async function updatePartnerName(tx: Query, partnerId: string, name: string, version: number): Promise<void> {
	await tx.query("update partner set name = $2 where partner_id = $1", [partnerId, name]);
	await tx.query("update api_key set version = $2 where partner_id = $1", [partnerId, version]);
}

export const selectBrandCodes = async (tx: Query): Promise<string[]> =>
	(
		await tx.query<{ code: string }>(
			"select brand_code as code from pool where brand_code is not null and partner_id is null",
		)
	).rows.map(({ code }) => code);
/** The pool of a brand that is nobody's sandbox; undefined: there is no such brand. */
export async function selectPoolOf(tx: Query, brandCode: string): Promise<number | undefined> {
	const { rows } = await tx.query<{ id: number }>(
		"select pool_id as id from pool where brand_code = $1 and partner_id is null",
		[brandCode],
	);
	return rows[0]?.id;
}

/** Partner ids by name. */
export async function selectPartners(db: Query, names: readonly string[]): Promise<Map<string, string>> {
	const { rows } = await db.query<{ name: string; id: string }>(
		"select name, partner_id as id from partner where name = any($1::text[])",
		[names],
	);
	return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Creates partners; skips names that another transaction has just created. */
export const insertPartners = (tx: Query, ids: readonly string[], names: readonly string[]) =>
	tx.query(
		`insert into partner (partner_id, name) select * from unnest($1::uuid[], $2::text[]) on conflict (name) do nothing`,
		[ids, names],
	);

export interface NewKey {
	readonly keyId: string;
	readonly pk: string;
	readonly partnerId: string;
	readonly name: string;
	readonly environment: Environment;
	readonly poolId: number | null;
	readonly sharedPool: boolean;
	readonly scopes: readonly Scope[];
	readonly requestsPerMinute: number;
	readonly maxHeldUnits: number | null;
	readonly expiresAt: Date | null;
	readonly version: number;
}

/** False if the partner already has a key of that name. */
export async function insertKey(tx: Query, key: NewKey): Promise<boolean> {
	const { rowCount } = await tx.query(
		`insert into api_key (key_id, pk, partner_id, name, environment, pool_id, shared_pool, scopes,
		                      requests_per_minute, max_held_units, expires_at, version)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (partner_id, name) do nothing`,
		[
			key.keyId,
			key.pk,
			key.partnerId,
			key.name,
			key.environment,
			key.poolId,
			key.sharedPool,
			key.scopes,
			key.requestsPerMinute,
			key.maxHeldUnits,
			key.expiresAt,
			key.version,
		],
	);
	return rowCount === 1;
}

export async function insertSecret(
	tx: Query,
	secret: { secretId: string; keyId: string; digest: Buffer; pepperId: string },
): Promise<void> {
	await tx.query("insert into key_secret (secret_id, key_id, digest, pepper_id) values ($1, $2, $3, $4)", [
		secret.secretId,
		secret.keyId,
		secret.digest,
		secret.pepperId,
	]);
}

/** Earlier than any clock: a secret ended immediately stays ended if the server's clock is set back. */
const FOR_GOOD = "timestamptz 'epoch'";

/** When secrets end, in epoch milliseconds: the latest end, and the end of each secret that still worked. */
export interface SecretEnds {
	readonly ends: number;
	readonly older: readonly { readonly createdAt: number; readonly endsAt: number }[];
}

/** Ends every secret of a key after `seconds`, unless it ends sooner; 0: for good. */
export async function endSecretsIn(tx: Query, keyId: string, seconds: number): Promise<SecretEnds> {
	const { rows } = await tx.query<SecretEnds>(
		`with due as (select now() + make_interval(secs => $2) as at),
		      older as (select created_at, least(expires_at, due.at) as ends_at from key_secret, due
		                 where key_id = $1 and (expires_at is null or expires_at > now())),
		      ended as (update key_secret s set expires_at = case $2::float8 when 0 then ${FOR_GOOD} else due.at end from due
		                 where s.key_id = $1 and (s.expires_at is null or s.expires_at > due.at))
		 select ${epochMs("at")} as ends,
		        (select coalesce(jsonb_agg(jsonb_build_object('createdAt', ${epochMs("created_at")}, 'endsAt', ${epochMs("ends_at")})
		                                   order by created_at), '[]') from older) as older
		   from due`,
		[keyId, seconds],
	);
	return rows[0] ?? { ends: 0, older: [] };
}

export async function setSuspended(tx: Query, keyId: string, suspended: boolean, version: number): Promise<void> {
	await tx.query("update api_key set suspended = $2, version = $3 where key_id = $1", [keyId, suspended, version]);
}

/**
 * Sets one of a sandbox key's times for its go-live to `seconds` from now; 0: ends the drill or the unkind hour.
 * Returns the time in epoch milliseconds; null: it is not a sandbox key.
 */
const setUntil =
	(column: "drill_until" | "unkind_until") =>
	async (tx: Query, keyId: string, seconds: number, version: number): Promise<number | null> => {
		const { rows } = await tx.query<{ until: number }>(
			`update api_key set ${column} = clock_timestamp() + make_interval(secs => $2), version = $3
			  where key_id = $1 and environment = 'sandbox' returning ${epochMs(column)} as until`,
			[keyId, seconds, version],
		);
		return rows[0]?.until ?? null;
	};
/** Until then, the key is refused. */
export const setDrill = setUntil("drill_until");
/** Until then, the sandbox is unkind to the key. */
export const setUnkind = setUntil("unkind_until");

export async function updateReport(tx: Query, keyId: string, number: number, version: number): Promise<void> {
	await tx.query("update api_key set golive_number = $2, version = $3 where key_id = $1", [keyId, number, version]);
}

export async function touchKey(tx: Query, keyId: string, version: number): Promise<void> {
	await tx.query("update api_key set version = $2 where key_id = $1", [keyId, version]);
}

/**
 * Revokes a key at `at` (null: now, for good), or earlier if that is already set. Returns the time in epoch
 * milliseconds.
 */
export async function setRevocation(tx: Query, keyId: string, at: Date | null, version: number): Promise<number> {
	if (at === null) await endSecretsIn(tx, keyId, 0);
	const { rows } = await tx.query<{ at: number }>(
		`update api_key set revoke_at = least(revoke_at, coalesce($2::timestamptz, now())), version = $3
		  where key_id = $1 returning ${epochMs("revoke_at")} as at`,
		[keyId, at, version],
	);
	return rows[0]?.at ?? 0;
}

/** Schedules the partner's sandbox keys for revocation in `days`, unless they end sooner; returns them. */
export async function scheduleSandboxRevocation(
	tx: Query,
	partnerId: string,
	days: number,
	version: number,
): Promise<{ pk: string; revokeAt: Date }[]> {
	const { rows } = await tx.query<{ pk: string; revokeAt: Date }>(
		`with sandbox as materialized (
		   select key_id from api_key
		    where partner_id = $1 and environment = 'sandbox'
		      and (revoke_at is null or revoke_at > now() + make_interval(days => $2))
		    order by key_id for no key update) -- the order in which batches lock capped keys
		 update api_key k set revoke_at = now() + make_interval(days => $2), version = $3
		   from sandbox where k.key_id = sandbox.key_id
		 returning pk, revoke_at as "revokeAt"`,
		[partnerId, days, version],
	);
	return rows;
}

/** Adds to this node's published request counts. */
export async function tellUse(
	db: Query,
	nodeId: string,
	use: readonly { name: string; requests: number }[],
): Promise<void> {
	await db.query(
		`insert into key_use as told (node_id, key_id, requests, told_at)
		 select $1, key_id, requests, clock_timestamp() from unnest($2::uuid[], $3::bigint[]) as use (key_id, requests)
		 on conflict (node_id, key_id) do update
		    set requests = told.requests + excluded.requests, told_at = excluded.told_at`,
		[nodeId, use.map(({ name }) => name), use.map(({ requests }) => requests)],
	);
}

/** The request counts of the other nodes. */
export async function useOfOthers(
	db: Query,
	nodeId: string,
): Promise<{ nodeId: string; keyId: string; requests: number }[]> {
	const { rows } = await db.query<{ nodeId: string; keyId: string; requests: number }>(
		'select node_id as "nodeId", key_id as "keyId", requests from key_use where node_id <> $1',
		[nodeId],
	);
	return rows;
}

/** Deletes the counts of nodes that have been silent for a day. */
export async function forgetSilentNodes(db: Query): Promise<void> {
	await db.query("delete from key_use where told_at < now() - interval '1 day'");
}
