import type { Environment } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { secondOfRequest } from "../../ground/lib/ids.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { WhyUnauthenticated } from "../../partners/http/caller.ts";
import { CHUNK_SPAN_MS, MOST_READ, USUALLY_READ } from "./limits.ts";
import type { RequestFields } from "./request-contract.ts";

/** A row of the log. */
export interface LoggedRequest extends Omit<RequestFields, "at"> {
	/** Epoch milliseconds. */
	readonly at: number;
	readonly sandbox: boolean;
	readonly key_id: string | null;
	/** The public half of the key; for an unknown caller, the one that was sent. */
	readonly pk: string | null;
	readonly key_name: string | null;
	readonly partner: string | null;
	readonly auth_failure: WhyUnauthenticated | null;
	readonly address: string;
	/** Epoch milliseconds. */
	readonly decided_at: number | null;
	readonly items: readonly LoggedItem[] | null;
	readonly body_in: string | null;
	readonly body_out: string | null;
}

/** What a refused request asked for. */
export interface LoggedItem {
	readonly sku: string;
	readonly qty: number;
	readonly brand_code?: string;
}

/** The requests of chunk `c`. */
const REQUESTS = `json_to_recordset(c.requests::json) as r(
	at bigint, request_id text, sent_pk text, auth_failure text, method text, url text, message text, ms float8, bytes_in int,
	bytes_out int, date_sent text, date_used text, address text, user_agent text, about text[], idempotency_key text,
	decided_at bigint, items json, body_in text, body_out text)`;
const COLUMNS = `r.at, r.request_id, c.sandbox, c.key_id, coalesce(k.pk, r.sent_pk) as pk, k.name as key_name, p.name as partner,
	r.auth_failure, c.operation, r.method, r.url, c.status, c.code, r.message, r.ms, coalesce(r.bytes_in, 0) as bytes_in,
	coalesce(r.bytes_out, 0) as bytes_out, r.date_sent, r.date_used, r.address, r.user_agent, coalesce(r.about, '{}') as about,
	r.idempotency_key, r.decided_at, r.items, r.body_in, r.body_out`;
const WITH_KEY = "left join api_key k on k.key_id = c.key_id left join partner p on p.partner_id = k.partner_id";

export interface RequestFilters {
	readonly keyId: string | null;
	readonly environment: Environment | undefined;
	readonly operation: string | undefined;
	readonly status: number | undefined;
	readonly code: string | undefined;
	/** Epoch milliseconds: from, inclusive; to, exclusive. */
	readonly from: number | undefined;
	readonly to: number | undefined;
	/** A text in path, message, references, address, user agent or request id. */
	readonly q: string | undefined;
}

/** A place in the list: before this request. */
export interface LogPlace {
	/** Epoch milliseconds. */
	readonly at: number;
	readonly requestId: string;
}

export interface ReadRequests {
	readonly rows: readonly LoggedRequest[];
	/** Where the next page begins; null: there is none. */
	readonly readTo: LogPlace | null;
}

/** Later than every request, in epoch milliseconds. */
const NO_END = Number.MAX_SAFE_INTEGER;
/** Comes after every request id, so that a place with it is before all requests up to its time. */
const AFTER_ALL = "~";

/** The chunks that pass the filters. */
const FILTERED = `($1::boolean is null or sandbox = $1) and ($2::uuid is null or key_id = $2)
	and ($3::text is null or code = $3) and ($4::text is null or operation = $4) and ($5::int is null or status = $5)
	and ($6::timestamptz is null or last_at >= $6)`;

/**
 * The newest requests before a place: those of all chunks that overlap it, and of the chunks before it, from the newest
 * on until they have enough requests. A chunk that was not read may contain requests as late as its last one, so only
 * newer requests are returned: a page may have fewer than its limit, or none, and `readTo` says where to continue.
 */
export async function selectRequests(
	db: Query,
	{ keyId, environment, operation, status, code, from, to, q }: RequestFilters,
	before: LogPlace | null,
	limit: number,
): Promise<ReadRequests> {
	const most = q === undefined ? Math.max(USUALLY_READ, limit) : MOST_READ;
	const { rows } = await db.query<(LoggedRequest | { readonly request_id: null }) & { readonly rest: number | null }>(
		`with newest as materialized (
		   select c.*, sum(weight) over (order by last_at desc, place) - weight as newer from (
		     select *, ctid as place, 0 as weight from request_log
		      where ${FILTERED} and first_at <= $7 and last_at >= $7 and last_at <= $7 + interval '${CHUNK_SPAN_MS} ms'
		     union all
		     (select *, ctid, count from request_log where ${FILTERED} and ($7::timestamptz is null or last_at < $7)
		       order by last_at desc limit $15)) c),
		 unread as (
		   select (extract(epoch from max(last_at)) * 1000)::bigint as last from newest
		    where newer >= $8
		       or ((select count(*) from newest where weight > 0) = $15
		           and last_at = (select min(last_at) from newest where weight > 0))),
		 found as (
		   select ${COLUMNS} from newest c cross join lateral ${REQUESTS} ${WITH_KEY}
		    where c.newer < $8 and r.at > coalesce((select last from unread), -1) and ($9::bigint is null or r.at >= $9)
		      and r.at < $10 and (r.at, r.request_id) < ($11::bigint, $12::text)
		      and ($13::text is null or strpos(lower(concat_ws(' ', r.request_id, r.url, r.message, r.address, r.user_agent,
		                                                       array_to_string(r.about, ' '))), lower($13)) > 0)
		    order by r.at desc, r.request_id desc limit $14)
		 select found.*, unread.last as rest from unread left join found on true order by found.at desc, found.request_id desc`,
		[
			environment === undefined ? null : environment === "sandbox",
			keyId,
			code ?? null,
			operation ?? null,
			status ?? null,
			from === undefined ? null : toRfc3339(from),
			before === null && to === undefined ? null : toRfc3339(Math.min(before?.at ?? NO_END, to ?? NO_END)),
			most,
			from ?? null,
			to ?? NO_END,
			before?.at ?? NO_END,
			before?.requestId ?? "",
			q ?? null,
			limit + 1,
			most,
		],
	);
	const found = rows.flatMap((row) => (row.request_id === null ? [] : [row]));
	const last = found[limit - 1];
	if (found.length > limit && last !== undefined)
		return { rows: found.slice(0, limit), readTo: { at: last.at, requestId: last.request_id } };
	const rest = rows[0]?.rest ?? null;
	return { rows: found, readTo: rest === null ? null : { at: rest, requestId: AFTER_ALL } };
}

/** Milliseconds of the second that a request id names. */
const SECOND_MS = 1_000;

/** The request with this id, which contains the second in which it arrived. `keyId` null: a request of any key. */
export async function selectRequest(db: Query, requestId: string, keyId: string | null): Promise<LoggedRequest | null> {
	const second = secondOfRequest(requestId);
	if (second === null) return null;
	const end = second + SECOND_MS;
	const { rows } = await db.query<LoggedRequest>(
		`select ${COLUMNS} from request_log c cross join lateral ${REQUESTS} ${WITH_KEY}
		  where c.last_at >= $1 and c.last_at < $2 and c.first_at < $3 and ($5::uuid is null or c.key_id = $5)
		    and strpos(c.requests, $4) > 0 and r.request_id = $4`,
		[toRfc3339(second), toRfc3339(end + CHUNK_SPAN_MS), toRfc3339(end), requestId, keyId],
	);
	return rows[0] ?? null;
}

/** Errors of one operation, code and key. */
export interface ErrorGroup {
	readonly operation: string;
	readonly code: string;
	/** Null: they belong to no key. */
	readonly pk: string | null;
	readonly key_name: string | null;
	readonly partner: string | null;
	readonly count: number;
	readonly last_at: Date;
	readonly last_request_id: string;
}

/** Maximum number of groups. */
const MOST_GROUPS = 200;

/** The errors since a time, by operation, code and key; the most frequent first. Only the newest chunks are counted. */
export const selectErrorGroups = (db: Query, fromMs: number, environment: Environment | undefined) =>
	db.query<ErrorGroup>(
		`with errors as (
		   select operation, code, key_id, sum(count)::int as count, max(last_at) as last_at
		     from (select operation, code, key_id, count, last_at from request_log
		            where code is not null and last_at >= $1 and ($2::boolean is null or sandbox = $2)
		            order by last_at desc limit ${MOST_READ}) newest
		    group by 1, 2, 3 order by 4 desc, 5 desc limit ${MOST_GROUPS})
		 select e.operation, e.code, k.pk, k.name as key_name, p.name as partner, e.count, e.last_at,
		        l.request_id as last_request_id
		   from errors e
		   join lateral (select r.request_id from request_log c cross join lateral ${REQUESTS}
		                  where c.last_at = e.last_at and c.code = e.code and c.operation = e.operation
		                    and c.key_id is not distinct from e.key_id
		                  order by r.at desc limit 1) l on true
		   left join api_key k on k.key_id = e.key_id left join partner p on p.partner_id = k.partner_id
		  order by e.count desc, e.last_at desc`,
		[toRfc3339(fromMs), environment === undefined ? null : environment === "sandbox"],
	);

/** A key's requests in the `seconds` before a time (epoch milliseconds), by operation. */
export const selectWindow = (db: Query, keyId: string, at: number, seconds: number) =>
	db.query<{ readonly operation: string; readonly count: number }>(
		`select c.operation, count(*)::int as count from request_log c cross join lateral ${REQUESTS}
		  where c.key_id = $1 and c.last_at >= $2 and c.last_at <= $3 and r.at > $4 and r.at <= $5
		  group by 1 order by 2 desc, 1`,
		[keyId, toRfc3339(at - seconds * SECOND_MS), toRfc3339(at + CHUNK_SPAN_MS), at - seconds * SECOND_MS, at],
	);

/** A request that came before another one. */
export type EarlierRequest = Pick<LoggedRequest, "at" | "request_id" | "operation" | "status" | "code">;

/** Earlier requests of the same key about one of these tokens and references, the newest first. */
export const selectEarlier = (db: Query, keyId: string, at: number, about: readonly string[], limit: number) =>
	db.query<EarlierRequest>(
		`select r.at, r.request_id, c.operation, c.status, c.code
		   from (select * from request_log where key_id = $1 and first_at < $2 and last_at < $2 + interval '${CHUNK_SPAN_MS} ms'
		          order by last_at desc limit ${MOST_READ}) c
		  cross join lateral ${REQUESTS}
		  where exists (select from unnest($3::text[]) a where strpos(c.requests, btrim(to_json(a)::text, '"')) > 0)
		    and r.at < $4 and r.about && $3::text[] order by r.at desc, r.request_id desc limit $5`,
		[keyId, toRfc3339(at), about, at, limit],
	);
