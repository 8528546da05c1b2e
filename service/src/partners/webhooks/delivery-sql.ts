import { must } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { preparedPage } from "../../ground/pg/page.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { DeliveryStatus, KeptAttempt } from "./delivery.ts";
import type { EventType } from "./event.ts";

const NEXT = wholeMs("d.next_attempt_at");
/** Position of a delivery in the list: the number of its event, or the one that it took when it was recovered. */
const PLACE = "coalesce(d.listed_seq, d.seq)";
const TYPE = "(select type from event e where e.seq = d.seq)";

type DeliveryTuple = [
	listedSeq: number,
	deliveryId: string,
	eventId: string,
	type: EventType,
	status: DeliveryStatus,
	attempts: KeptAttempt[],
	nextAttemptAt: number | null,
];

/** The deliveries of an endpoint, in the order they were added to it. */
export const selectDeliveries = preparedPage<DeliveryTuple>(
	"select_webhook_deliveries",
	"event_epoch",
	`select ${PLACE}, delivery_id, event_id, ${TYPE}, status, attempts, ${NEXT} from webhook_delivery d
	  where ${PLACE} > $1 and endpoint_id = $3 and ($4::text is null or status = $4) order by ${PLACE} limit $2`,
);

/** The number of the last event whose transaction has ended. */
export const selectEventEpoch = async (tx: Query): Promise<number> =>
	must((await tx.query<{ version: number }>("select version from event_epoch")).rows[0], "the epoch").version;

/**
 * The undelivered events since a time for an endpoint: exhausted, dropped, or recorded while it was inactive. They are
 * locked so that none is pruned meanwhile; an event that is already being pruned is left out. `above`: only those with
 * higher numbers; `among`: only those with these.
 */
export async function lockUndelivered(
	tx: Query,
	endpointId: string,
	{ since, above = 0, among }: { readonly since: Date; readonly above?: number; readonly among?: readonly number[] },
): Promise<number[]> {
	const { rows } = await tx.query<{ seq: number }>(
		`select e.seq from webhook_endpoint w
		   join event e on e.partner_id = w.partner_id and e.environment = w.environment and e.type = any(w.event_types)
		   left join webhook_delivery d on d.endpoint_id = w.endpoint_id and d.seq = e.seq
		  where w.endpoint_id = $1 and e.created_at >= $2 and e.seq > $3 and e.pruned_at is null
		    and (d.status is null or d.status in ('exhausted', 'dropped'))${among === undefined ? "" : " and e.seq = any($4::bigint[])"}
		  order by e.seq for share of e`,
		[endpointId, since, above, ...(among === undefined ? [] : [plainArray(among)])],
	);
	return rows.map(({ seq }) => seq);
}

/** Requeues undelivered events for an endpoint. Pending and delivered ones are unchanged. Returns their number. */
export async function queueAgain(tx: Query, endpointId: string, seqs: readonly number[]): Promise<number> {
	if (seqs.length === 0) return 0;
	const { rowCount } = await tx.query(
		`with undelivered as materialized (
		   select seq, event_id, row_number() over (order by seq) as n from event where seq = any($2::bigint[])),
		 taken as materialized (
		   select take_numbers('event_epoch', count) - count as before from (select count(*) from undelivered) c)
		 insert into webhook_delivery (endpoint_id, seq, event_id, listed_seq)
		 select $1, seq, event_id, before + n from undelivered, taken
		 on conflict (endpoint_id, seq) do update
		    set status = 'pending', failures = 0, next_attempt_at = now(), settled_at = null, listed_seq = excluded.listed_seq
		  where webhook_delivery.status in ('exhausted', 'dropped')`,
		[endpointId, plainArray(seqs)],
	);
	return rowCount ?? 0;
}

/** A delivery that is sent again. */
export interface Resent {
	readonly endpointId: string;
	readonly eventId: string;
}

/**
 * Requeues one delivery, whatever its status; its event is locked as in lockUndelivered. Returns null if there
 * is no such delivery, its endpoint is inactive, or its event was pruned.
 */
export async function resendOne(tx: Query, deliveryId: string): Promise<Resent | null> {
	const { rows } = await tx.query<Resent>(
		`with told as materialized (
		   select e.seq from webhook_delivery d join event e using (seq) where d.delivery_id = $1 and e.pruned_at is null for share of e)
		 update webhook_delivery d set status = 'pending', failures = 0, next_attempt_at = now(), settled_at = null
		   from webhook_endpoint w, told
		  where d.delivery_id = $1 and w.endpoint_id = d.endpoint_id and w.status = 'active' and told.seq = d.seq
		 returning d.endpoint_id as "endpointId", d.event_id as "eventId"`,
		[deliveryId],
	);
	return rows[0] ?? null;
}

/** The endpoint of a delivery, and whether its event was pruned; null: there is no such delivery. */
export const selectResendable = async (
	tx: Query,
	deliveryId: string,
): Promise<{ readonly endpointId: string; readonly pruned: boolean } | null> =>
	(
		await tx.query<{ endpointId: string; pruned: boolean }>(
			`select d.endpoint_id as "endpointId",
			        not exists (select from event e where e.seq = d.seq and e.pruned_at is null) as pruned
			   from webhook_delivery d where d.delivery_id = $1`,
			[deliveryId],
		)
	).rows[0] ?? null;
