import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import { CHUNK_SPAN_MS } from "../traffic/limits.ts";
import type { Drill, FactDelivery, FactRequest, Look, Probe, Retirement, UnkindHour } from "./facts.ts";
import { MOST_BODY_CHARACTERS, MOST_DELIVERIES, MOST_LOOKS, MOST_OTHERS, MOST_REQUESTS } from "./limits.ts";

/*
 * The facts by which a run is judged. Times are epoch milliseconds, rounded down, so a drill of ten minutes has exactly
 * that length.
 */

export interface RequestRow extends Omit<FactRequest, "about" | "body" | "reply"> {
	readonly about: readonly string[] | null;
	readonly bodyIn: string | null;
	readonly bodyOut: string | null;
	/** Its bodies were not read, because the bodies of newer requests already have too many characters. */
	readonly withoutBodies: boolean;
}

/** The newest requests of a key between two times, at most one more than a run is judged by, the oldest first. */
export const selectFactRequests = (db: Query, keyId: string, fromMs: number, toMs: number) =>
	db.query<RequestRow>(
		`with chunks as materialized (
		   select * from request_log where sandbox and key_id = $1 and last_at >= $2 and last_at <= $3 and first_at <= $4
		    order by last_at desc limit ${MOST_REQUESTS + 1}),
		 newest as materialized (
		   select c.operation, c.status, c.code, r.* from chunks c
		    cross join lateral json_to_recordset(c.requests::json) as r(at bigint, request_id text, url text, ms float8, about text[],
		      idempotency_key text, retry_after int, body_in text, body_out text)
		    where r.at >= $5 and r.at <= $6 order by r.at desc, r.request_id desc limit ${MOST_REQUESTS + 1}),
		 weighed as (
		   select *, sum(length(coalesce(body_in, '')) + length(coalesce(body_out, '')))
		               over (order by at desc, request_id desc) > ${MOST_BODY_CHARACTERS} as without_bodies from newest)
		 select at, request_id as "requestId", operation, url, status, code, ms, about, idempotency_key as "idempotencyKey",
		        retry_after as "retryAfter", without_bodies as "withoutBodies",
		        case when not without_bodies then body_in end as "bodyIn", case when not without_bodies then body_out end as "bodyOut"
		   from weighed order by at, request_id`,
		[keyId, toRfc3339(fromMs), toRfc3339(toMs + CHUNK_SPAN_MS), toRfc3339(toMs), fromMs, toMs],
	);

export interface LookRow extends Pick<Look, "at" | "id" | "source" | "problem" | "items"> {
	readonly counts: { readonly [sku: string]: number };
	readonly documents: { readonly [sku: string]: readonly string[] };
}

/** The newest looks of a run, the oldest first. */
export const selectLooks = (db: Query, goLiveId: string) =>
	db.query<LookRow>(
		`select * from (
		   select ${wholeMs("at")} as at, look_id as id, source, problem, items, counts, documents from golive_look
		    where golive_id = $1 order by golive_look.at desc limit ${MOST_LOOKS}) l order by at, id`,
		[goLiveId],
	);

export const selectProbes = (db: Query, goLiveId: string) =>
	db.query<Probe>(
		`select ${wholeMs("at")} as at, delivery_id as "deliveryId", kind, repeats, status from golive_probe
		  where golive_id = $1 order by golive_probe.at desc limit ${MOST_OTHERS}`,
		[goLiveId],
	);

/** The drills of a run; the one under way has no end. */
export const selectDrills = (db: Query, goLiveId: string, nowMs: number) =>
	db.query<Drill>(
		`select ${wholeMs("from_at")} as from, case when ${wholeMs("until_at")} <= $2 then ${wholeMs("until_at")} end as to
		   from golive_drill where golive_id = $1 order by from_at desc limit ${MOST_OTHERS}`,
		[goLiveId, nowMs],
	);

/** The last certificate that was retired for a run. */
export const selectRetirement = (db: Query, goLiveId: string) =>
	db.query<Retirement>(
		`select ${wholeMs("retired_at")} as at, skus, slug, batch_number as "batchNumber", document from golive_retirement
		  where golive_id = $1 and retired_at is not null order by retired_at desc limit 1`,
		[goLiveId],
	);

export interface ReviewRow {
	readonly check: string;
	readonly at: number;
	/** Null: the run may finish without the check. */
	readonly passed: boolean | null;
	readonly by: string;
	readonly words: string;
}

/** The last verdict and the last waiver of a person for each check. */
export const selectReviews = (db: Query, goLiveId: string) =>
	db.query<ReviewRow>(
		`select distinct on (check_name, kind) check_name as check, ${wholeMs("at")} as at, passed, by, words from golive_review
		  where golive_id = $1 order by check_name, kind, golive_review.at desc`,
		[goLiveId],
	);

/** The newest attempts to deliver a partner's events of the sandbox since a time. */
export const selectFactDeliveries = (db: Query, partnerId: string, fromMs: number) =>
	db.query<FactDelivery>(
		`select ${wholeMs("a.at")} as at, d.delivery_id as "deliveryId", d.event_id as "eventId", e.type, e.order_id as "orderId",
		        case when e.type = 'order.shipped' and e.body like '{%' then e.body::jsonb #>> '{data,shipment,tracking_number}' end
		          as "trackingNumber", a.status
		   from webhook_endpoint w
		  cross join lateral (
		    select delivery_id, event_id, seq, attempts from webhook_delivery
		     where endpoint_id = w.endpoint_id order by coalesce(listed_seq, seq) desc limit ${MOST_DELIVERIES}) d
		   join event e on e.seq = d.seq
		  cross join lateral jsonb_to_recordset(d.attempts) a(at timestamptz, status int)
		  where w.partner_id = $1 and w.environment = 'sandbox' and w.deleted_at is null and a.at >= $2
		  order by a.at desc limit ${MOST_DELIVERIES}`,
		[partnerId, toRfc3339(fromMs)],
	);

/** The last unkind hour of a run, and the events that were sent unkindly in it. */
export const selectUnkindHour = (db: Query, goLiveId: string, nowMs: number) =>
	db.query<UnkindHour>(
		`select ${wholeMs("h.from_at")} as from, case when ${wholeMs("h.until_at")} <= $2 then ${wholeMs("h.until_at")} end as to,
		        (select coalesce(jsonb_agg(jsonb_build_object('at', ${wholeMs("a.at")}, 'id', a.id, 'kind', a.kind) order by a.at), '[]')
		           from (select at, id, kind from golive_unkind_act
		                  where golive_id = $1 and at >= h.from_at and at <= h.until_at limit ${MOST_OTHERS}) a) as acts
		   from golive_unkind_hour h where h.golive_id = $1 order by h.from_at desc limit 1`,
		[goLiveId, nowMs],
	);
