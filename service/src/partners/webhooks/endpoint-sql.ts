import type { Environment } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { preparedPage } from "../../ground/pg/page.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { ChosenEventType, Endpoint, EndpointOwner, InactiveReason } from "./endpoint.ts";
import type { SealedSecret } from "./secret.ts";

/** The columns of an endpoint, by the names of its fields. */
export const COLUMNS = `endpoint_id as "endpointId", partner_id as "partnerId", environment, url, event_types as "eventTypes", description,
	inactive_reason as "inactiveReason", api_date as "apiDate", version, ${wholeMs("failing_since")} as "failingSince",
	${wholeMs("created_at")} as "createdAt", ${wholeMs("updated_at")} as "updatedAt"`;

/** Locks a partner, so that its endpoints are created one at a time, and counts them. Null: no such partner. */
export async function countEndpointsOf(tx: Query, { partnerId, environment }: EndpointOwner): Promise<number | null> {
	const { rows: partners } = await tx.query("select from partner where partner_id = $1 for no key update", [partnerId]);
	if (partners.length === 0) return null;
	const { rows } = await tx.query<{ count: number }>(
		"select count(*) as count from webhook_endpoint where partner_id = $1 and environment = $2 and deleted_at is null",
		[partnerId, environment],
	);
	return rows[0]?.count ?? 0;
}

export type NewEndpoint = Pick<
	Endpoint,
	keyof EndpointOwner | "endpointId" | "url" | "eventTypes" | "description" | "apiDate"
>;

export async function insertEndpoint(tx: Query, one: NewEndpoint): Promise<Endpoint> {
	const { rows } = await tx.query<Endpoint>(
		`insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, description, status, api_date, version)
		 values ($1, $2, $3, $4, $5, $6, 'active', $7, take_numbers('webhook_endpoint_epoch', 1)) returning ${COLUMNS}`,
		[one.endpointId, one.partnerId, one.environment, one.url, one.eventTypes, one.description, one.apiDate],
	);
	return rows[0] as Endpoint;
}

/** An endpoint of this owner, or of any owner if it is null. `lock`: until the transaction ends. */
export async function selectEndpoint(
	db: Query,
	owner: EndpointOwner | null,
	endpointId: string,
	lock = false,
): Promise<Endpoint | null> {
	const { rows } = await db.query<Endpoint>(
		`select ${COLUMNS} from webhook_endpoint
		  where endpoint_id = $1 and deleted_at is null and ($2::uuid is null or (partner_id = $2 and environment = $3))
		  ${lock ? "for update" : ""}`,
		[endpointId, owner?.partnerId ?? null, owner?.environment ?? null],
	);
	return rows[0] ?? null;
}

/** Updates all fields that a partner can change. Reactivation or a new address clears the record of failures. */
export async function updateEndpoint(
	tx: Query,
	endpoint: Pick<Endpoint, "endpointId" | "url" | "eventTypes" | "description" | "inactiveReason">,
): Promise<Endpoint> {
	const { rows } = await tx.query<Endpoint>(
		`update webhook_endpoint set url = $2, event_types = $3, description = $4, inactive_reason = $5,
		   status = case when $5::text is null then 'active' else 'inactive' end, updated_at = now(),
		   failing_since = case when url <> $2 or ($5::text is null and status = 'inactive') then null else failing_since end,
		   warned_at = case when url <> $2 or ($5::text is null and status = 'inactive') then null else warned_at end,
		   version = take_numbers('webhook_endpoint_epoch', 1)
		 where endpoint_id = $1 returning ${COLUMNS}`,
		[endpoint.endpointId, endpoint.url, endpoint.eventTypes, endpoint.description, endpoint.inactiveReason],
	);
	return rows[0] as Endpoint;
}

export const dropPending = (tx: Query, endpointId: string) =>
	tx.query(
		`update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now()
		  where endpoint_id = $1 and status = 'pending'`,
		[endpointId],
	);

/** The row stays for its deliveries, without secrets. */
export async function markDeleted(tx: Query, endpointId: string): Promise<void> {
	await tx.query("delete from webhook_secret where endpoint_id = $1", [endpointId]);
	await tx.query(
		`update webhook_endpoint set deleted_at = now(), updated_at = now(), status = 'inactive',
		   inactive_reason = coalesce(inactive_reason, 'partner'), version = take_numbers('webhook_endpoint_epoch', 1)
		  where endpoint_id = $1`,
		[endpointId],
	);
}

export const insertSecret = (tx: Query, endpointId: string, { secretId, ringId, sealed }: SealedSecret) =>
	tx.query("insert into webhook_secret (secret_id, endpoint_id, ring_id, sealed) values ($1, $2, $3, $4)", [
		secretId,
		endpointId,
		ringId,
		sealed,
	]);

/**
 * Run before inserting a new secret: the others sign for at most `overlapHours` more; with 0 they end for good
 * (docs/decisions/0031). Only the newest `keep` that still sign are kept.
 */
export async function endSecrets(tx: Query, endpointId: string, overlapHours: number, keep: number): Promise<void> {
	await tx.query(
		`update webhook_secret set expires_at = least(expires_at, now() + $2 * interval '1 hour') where endpoint_id = $1`,
		[endpointId, overlapHours],
	);
	await tx.query(
		`delete from webhook_secret where endpoint_id = $1 and (expires_at <= now() or secret_id not in (
		   select secret_id from webhook_secret where endpoint_id = $1 order by created_at desc, secret_id desc limit $2))`,
		[endpointId, overlapHours === 0 ? 0 : keep],
	);
}

type EndpointTuple = [
	version: number,
	endpointId: string,
	partnerId: string,
	environment: Environment,
	url: string,
	eventTypes: ChosenEventType[],
	description: string | null,
	inactiveReason: InactiveReason | null,
	apiDate: string,
	failingSince: number | null,
	createdAt: number,
	updatedAt: number,
];

export const selectEndpoints = preparedPage<EndpointTuple>(
	"select_webhook_endpoints",
	"webhook_endpoint_epoch",
	`select version, endpoint_id, partner_id, environment, url, event_types, description, inactive_reason, api_date,
	        ${wholeMs("failing_since")}, ${wholeMs("created_at")}, ${wholeMs("updated_at")}
	   from webhook_endpoint where version > $1 and partner_id = $3 and environment = $4 and deleted_at is null order by version limit $2`,
);

export const toEndpoint = ([
	version,
	endpointId,
	partnerId,
	environment,
	url,
	eventTypes,
	description,
	inactiveReason,
	apiDate,
	failingSince,
	createdAt,
	updatedAt,
]: EndpointTuple): Endpoint => ({
	version,
	endpointId,
	partnerId,
	environment,
	url,
	eventTypes,
	description,
	inactiveReason,
	apiDate,
	failingSince,
	createdAt,
	updatedAt,
});

/**
 * Locks and returns at most `limit` secrets that are not under the current entry, in the order of their ids. `after`:
 * an id.
 */
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
	/** The names of the operators' tokens under this entry; a new token takes the current one. */
	readonly tokens: readonly string[];
}

export const selectRingUse = (db: Query) =>
	db.query<RingUse>(
		`with used as (
		   select ring_id, 1 as hooks, 0 as keys, null::text as pk, null::text as token from webhook_secret
		   union all
		   select s.pepper_id, 0, 1, k.pk, null from key_secret s join api_key k using (key_id)
		    where (s.expires_at is null or s.expires_at > now()) and (k.expires_at is null or k.expires_at > now())
		      and (k.revoke_at is null or k.revoke_at > now())
		   union all
		   select pepper_id, 0, 0, null, name from operator_token
		    where revoked_at is null and (expires_at is null or expires_at > now()))
		 select ring_id as "ringId", sum(hooks) as "webhookSecrets", sum(keys) as "keySecrets",
		        coalesce(array_agg(distinct pk order by pk) filter (where pk is not null), '{}') as keys,
		        coalesce(array_agg(token order by token) filter (where token is not null), '{}') as tokens
		   from used group by ring_id order by ring_id`,
	);
