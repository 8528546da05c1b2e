import { must } from "../../ground/lib/assert.ts";
import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { Endpoint, EndpointOwner, InactiveReason } from "./endpoint.ts";
import type { Due } from "./judged.ts";
import { MAX_ATTEMPTS_KEPT } from "./limits.ts";
import type { SealedSecret } from "./secret.ts";

/** The database's clock; epoch milliseconds. */
export async function readNow(db: Query): Promise<number> {
	const { rows } = await db.query<{ now: number }>(`select ${wholeMs("clock_timestamp()")} as now`);
	return must(rows[0], "now").now;
}

/**
 * A sender's lease need not be on disk before it is acknowledged: if a crash of the server loses it, another sender may
 * start a little early, and the first one's writes have no effect. Results of attempts are durable.
 */
const NOT_AWAITED = "set_config('synchronous_commit', 'off', true)";

/**
 * Whether an endpoint has no sender. A lease longer than any was taken before the database's clock stepped back: its
 * sender, if it lives, renews it.
 */
const IS_FREE = `(sending_until is null or sending_until < clock_timestamp()
	       or sending_until > clock_timestamp() + interval '1 minute')`;

/** When the first pending delivery of the endpoint `of` is due; null: there is none. One entry of an index. */
const firstDue = (of: string): string => `(select next_attempt_at from webhook_delivery
	          where endpoint_id = ${of} and status = 'pending' order by next_attempt_at limit 1)`;

/** Leases an endpoint to a sender. No row: another sender has it, or there is no such endpoint. */
export const takeLease = prepared<[active: boolean, _: string]>(
	"take_webhook_endpoint",
	`update webhook_endpoint set sender = $2, sending_until = clock_timestamp() + $3 * interval '1 millisecond'
	  where endpoint_id = $1 and ${IS_FREE}
	 returning status = 'active', ${NOT_AWAITED}`,
);

/** Extends a sender's lease. No row: it has lost it. */
export const extendLease = prepared(
	"keep_webhook_endpoint",
	`update webhook_endpoint set sending_until = clock_timestamp() + $3 * interval '1 millisecond'
	  where endpoint_id = $1 and sender = $2 returning ${NOT_AWAITED}`,
);

export const endLease = prepared(
	"end_webhook_lease",
	`update webhook_endpoint set sender = null, sending_until = null where endpoint_id = $1 and sender = $2 returning ${NOT_AWAITED}`,
);

/** Ends the lease if no delivery is due. No row: a delivery is due. */
export const endLeaseWhenDone = prepared(
	"end_webhook_lease_when_done",
	`update webhook_endpoint set sender = null, sending_until = null where endpoint_id = $1 and sender = $2
	    and (${firstDue("$1")} <= clock_timestamp()) is not true
	 returning ${NOT_AWAITED}`,
);

/** Drops the pending deliveries of an inactive endpoint. Only its sender runs this, after reading its status. */
export const dropForInactive = prepared(
	"drop_for_inactive_webhook_endpoint",
	`update webhook_delivery d set status = 'dropped', next_attempt_at = null, settled_at = now()
	   from webhook_endpoint w
	  where w.endpoint_id = $1 and w.sender = $2 and w.status = 'inactive' and d.endpoint_id = w.endpoint_id and d.status = 'pending'`,
);

type DueRow = [
	url: string,
	version: number,
	now: number,
	failingForMs: number | null,
	warned: boolean,
	seq: number | null,
	eventId: string,
	failures: number,
	body: string,
];

/**
 * The due deliveries of an endpoint, most overdue first, without those its sender already has. One row without an
 * event: none is due. No row: the sender has lost the lease, or the endpoint is inactive.
 */
export const readDue = prepared<DueRow>(
	"read_due_webhook_deliveries",
	`select m.url, m.version, ${wholeMs("clock_timestamp()")},
	        (extract(epoch from clock_timestamp() - m.failing_since) * 1000)::float8, m.warned_at is not null,
	        d.seq, d.event_id, d.failures, e.body
	   from webhook_endpoint m left join lateral (
	     select seq, event_id, failures from webhook_delivery
	      where endpoint_id = $1 and status = 'pending' and next_attempt_at <= now() and seq <> all($3::bigint[])
	      order by next_attempt_at limit $4) d on true
	   left join event e on e.seq = d.seq
	  where m.endpoint_id = $1 and m.sender = $2 and m.status = 'active'`,
);

/** The delivery of a row; null: none is due. */
export const dueOf = ([
	_url,
	_version,
	_now,
	_failingForMs,
	_warned,
	seq,
	eventId,
	failures,
	body,
]: DueRow): Due | null => (seq === null ? null : { seq, eventId, failures, body });

type SecretRow = [secretId: string, ringId: string, sealed: Buffer];
const selectSigning = prepared<SecretRow>(
	"select_signing_webhook_secrets",
	`select secret_id, ring_id, sealed from webhook_secret
	  where endpoint_id = $1 and (expires_at is null or expires_at > clock_timestamp()) order by created_at desc, secret_id desc`,
);

/** The secrets that sign for an endpoint now, newest first. */
export const signingSecrets = async (db: Query, endpointId: string): Promise<SealedSecret[]> =>
	(await selectSigning(db, [endpointId])).map(([secretId, ringId, sealed]) => ({ secretId, ringId, sealed }));

/** An endpoint, as far as a message to it needs. */
export type AddressedEndpoint = Pick<Endpoint, "endpointId" | "partnerId" | "url">;

/** The newest active endpoint of an owner. */
export async function selectProbedEndpoint(
	db: Query,
	{ partnerId, environment }: EndpointOwner,
): Promise<AddressedEndpoint | null> {
	const { rows } = await db.query<AddressedEndpoint>(
		`select endpoint_id as "endpointId", partner_id as "partnerId", url from webhook_endpoint
		  where partner_id = $1 and environment = $2 and status = 'active' and deleted_at is null
		  order by created_at desc, endpoint_id desc limit 1`,
		[partnerId, environment],
	);
	return rows[0] ?? null;
}

/** One attempt to record. Milliseconds `ago` count back from the write. */
export interface AttemptRow {
	readonly seq: number;
	readonly to: "pending" | "delivered" | "exhausted" | "dropped";
	readonly afterMs: number;
	readonly failures: number;
	readonly endedAgoMs: number;
	readonly durationMs: number;
	readonly status: number | null;
	readonly error: string | null;
	readonly excerpt: string | null;
}

/** The combined effect of several attempts on their endpoint. */
export interface EndpointNews {
	readonly succeeded: boolean;
	/** When the first failure after the last success among them ended; null: no attempt failed after it. */
	readonly failedAgoMs: number | null;
	/** The operator is warned that it fails. */
	readonly warn: boolean;
}

// an insert with a conflict finds the row by the primary key in its newest version, whatever the statistics say;
// after an idle period, an update was planned as a scan of all pending deliveries
const writeAttempts = prepared<[version: number, settled: number]>(
	"record_webhook_attempts",
	`with mine as materialized (select endpoint_id from webhook_endpoint where endpoint_id = $1 and sender = $2 for update),
	 r as (select * from unnest($3::bigint[], $4::text[], $5::float8[], $6::int[], $7::float8[], $8::int[], $9::int[], $10::text[], $11::text[])
	   r(seq, to_status, after_ms, failures, ended_ago_ms, duration_ms, status, error, excerpt)),
	 settled as (
	   insert into webhook_delivery as d (endpoint_id, seq, event_id, status, failures, next_attempt_at, settled_at, attempts)
	   select mine.endpoint_id, r.seq, there.event_id, r.to_status, r.failures,
	          case when r.to_status = 'pending' then clock_timestamp() + r.after_ms * interval '1 millisecond' end,
	          case when r.to_status = 'pending' then null else clock_timestamp() end,
	          jsonb_build_array(jsonb_build_object('at', clock_timestamp() - (r.ended_ago_ms + r.duration_ms) * interval '1 millisecond',
	            'duration_ms', r.duration_ms, 'status', r.status, 'error', r.error, 'response_excerpt', r.excerpt))
	     from mine cross join r cross join lateral (
	       select x.event_id from webhook_delivery x where x.endpoint_id = mine.endpoint_id and x.seq = r.seq offset 0) there
	   on conflict (endpoint_id, seq) do update set status = excluded.status, failures = excluded.failures,
	     next_attempt_at = excluded.next_attempt_at, settled_at = excluded.settled_at,
	     attempts = case when jsonb_array_length(d.attempts) >= ${MAX_ATTEMPTS_KEPT} then d.attempts - 0 else d.attempts end || excluded.attempts
	    where (d.status = 'pending' and (excluded.status = 'delivered' or excluded.failures > d.failures))
	       or (d.status = 'dropped' and excluded.status = 'delivered') -- while its post was under way
	 returning d.seq)
	 update webhook_endpoint w set
	   sending_until = clock_timestamp() + $12 * interval '1 millisecond',
	   failing_since = case when $13 then clock_timestamp() - $14::float8 * interval '1 millisecond'
	     else coalesce(failing_since, clock_timestamp() - $14::float8 * interval '1 millisecond') end,
	   warned_at = case when $15 then coalesce(case when $13 then null else warned_at end, clock_timestamp())
	     when $13 then null else warned_at end
	  from mine where w.endpoint_id = mine.endpoint_id returning w.version, (select count(*) from settled)`,
);

/**
 * Records the results of attempts; those that are recorded already, because the answer to an earlier call was lost,
 * change nothing. Returns the number of the endpoint's last change; null: another sender has it by now, and nothing is
 * changed.
 */
export async function recordAttempts(
	db: Query,
	{ endpointId, sender, leaseMs }: { readonly endpointId: string; readonly sender: string; readonly leaseMs: number },
	rows: readonly AttemptRow[],
	{ succeeded, failedAgoMs, warn }: EndpointNews,
): Promise<number | null> {
	const numbers = (name: "seq" | "afterMs" | "failures" | "endedAgoMs" | "durationMs" | "status") =>
		plainArray(rows.map((row) => row[name]));
	const texts = (name: "to" | "error" | "excerpt") => textArray(rows.map((row) => row[name]));
	const columns = [
		numbers("seq"),
		texts("to"),
		numbers("afterMs"),
		numbers("failures"),
		numbers("endedAgoMs"),
		numbers("durationMs"),
		numbers("status"),
		texts("error"),
		texts("excerpt"),
	];
	const [written] = await writeAttempts(db, [endpointId, sender, ...columns, leaseMs, succeeded, failedAgoMs, warn]);
	return written?.[0] ?? null;
}

/**
 * Deactivates an endpoint because of what its address answered, and drops its pending deliveries. False: another sender
 * has it by now, or it has another address, of which the answer says nothing.
 */
export async function deactivate(
	tx: Query,
	{ endpointId, sender, url }: { readonly endpointId: string; readonly sender: string; readonly url: string },
	reason: Extract<InactiveReason, "gone" | "failing">,
): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update webhook_endpoint set status = 'inactive', inactive_reason = $3, updated_at = now()
		  where endpoint_id = $1 and sender = $2 and url = $4 and status = 'active'`,
		[endpointId, sender, reason, url],
	);
	if (rowCount === 0) return false;
	await dropForInactive(tx, [endpointId, sender]); // may take long, so the number comes last
	await tx.query(
		"update webhook_endpoint set version = take_numbers('webhook_endpoint_epoch', 1) where endpoint_id = $1",
		[endpointId],
	);
	return true;
}

/** Endpoints without a sender that have due deliveries, or that are inactive and still have pending ones. */
export const selectDueEndpoints = prepared<[endpointId: string]>(
	"select_due_webhook_endpoints",
	`select endpoint_id from webhook_endpoint w
	  where ${IS_FREE}
	    and ${firstDue("w.endpoint_id")} <= case when w.status = 'inactive' then 'infinity' else clock_timestamp() end`,
);

/** The state of delivery: pending and due deliveries, and the age of the oldest of each, in seconds. */
export const selectFigures = prepared<
	[pending: number, due: number, oldestSeconds: number, lateSeconds: number, inactive: number, failing: number]
>(
	"select_webhook_figures",
	`select count(*), count(*) filter (where next_attempt_at <= now()),
	        coalesce(extract(epoch from now() - min(created_at)), 0)::float8,
	        coalesce(extract(epoch from now() - min(next_attempt_at) filter (where next_attempt_at <= now())), 0)::float8,
	        (select count(*) from webhook_endpoint where inactive_reason in ('gone', 'failing') and deleted_at is null),
	        (select count(*) from webhook_endpoint where failing_since is not null and status = 'active')
	   from webhook_delivery where status = 'pending'`,
);

export interface NoticedEndpoint {
	readonly endpointId: string;
	readonly url: string;
	readonly partner: string;
	readonly environment: string;
	readonly pending: number;
}

/** The facts about an endpoint in a mail. */
export async function selectNoticed(db: Query, endpointId: string): Promise<NoticedEndpoint | null> {
	const { rows } = await db.query<NoticedEndpoint>(
		`select endpoint_id as "endpointId", url, p.name as partner, environment,
		        (select count(*) from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending') as pending
		   from webhook_endpoint w join partner p using (partner_id) where endpoint_id = $1`,
		[endpointId],
	);
	return rows[0] ?? null;
}
