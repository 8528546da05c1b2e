import type { Query } from "../../ground/pg/connect.ts";
import type { Unkindness } from "./facts.ts";
import { MOST_DELIVERIES, REPEAT_AFTER_SECONDS } from "./limits.ts";
import type { GoLiveRun } from "./run.ts";

/** Records an unkind hour of the run's key that has just begun, and makes its step for events due. */
export const insertUnkindHour = (tx: Query, { goLiveId, keyId }: GoLiveRun, seconds: number, by: string) =>
	tx.query(
		`with hour as (
		   insert into golive_unkind_hour (golive_id, from_at, until_at, started_by)
		   select $1::uuid, unkind_until - make_interval(secs => $3), unkind_until, $4::text from api_key where key_id = $2)
		 update golive_run set unkind_due_at = clock_timestamp() where golive_id = $1 and state = 'running'`,
		[goLiveId, keyId, seconds, by],
	);

/** Ends the hour that is under way. */
export const endUnkindHours = (tx: Query, goLiveId: string): Promise<unknown> =>
	tx.query(
		"update golive_unkind_hour set until_at = clock_timestamp() where golive_id = $1 and until_at > clock_timestamp()",
		[goLiveId],
	);

export interface HourUnderWay {
	readonly from: Date;
	readonly secondsLeft: number;
	/** Whether an event was sent twice, and one late. */
	readonly twice: boolean;
	readonly late: boolean;
}

export async function selectHourUnderWay(tx: Query, goLiveId: string): Promise<HourUnderWay | null> {
	const has = (kind: Unkindness["kind"]): string =>
		`exists (select from golive_unkind_act a where a.golive_id = h.golive_id and a.at >= h.from_at and a.kind = '${kind}')`;
	const { rows } = await tx.query<HourUnderWay>(
		`select from_at as from, extract(epoch from until_at - clock_timestamp())::float8 as "secondsLeft",
		        ${has("event_twice")} as twice, ${has("event_late")} as late
		   from golive_unkind_hour h where golive_id = $1 and until_at > clock_timestamp() order by from_at desc limit 1`,
		[goLiveId],
	);
	return rows[0] ?? null;
}

/** The first event of an order since a time that was delivered a while ago, and was not sent late; null: none was. */
export async function selectDelivered(
	tx: Query,
	goLiveId: string,
	endpointId: string,
	since: Date,
): Promise<string | null> {
	const { rows } = await tx.query<{ id: string }>(
		`select d.delivery_id as id
		   from (select * from webhook_delivery where endpoint_id = $2 order by coalesce(listed_seq, seq) desc limit ${MOST_DELIVERIES}) d
		   join event e on e.seq = d.seq
		  where d.status = 'delivered' and d.created_at >= $3 and e.order_id is not null and e.pruned_at is null
		    and d.settled_at < clock_timestamp() - interval '${REPEAT_AFTER_SECONDS} seconds'
		    and not exists (select from golive_unkind_act a where a.golive_id = $1 and a.id = d.delivery_id::text)
		  order by d.seq limit 1`,
		[goLiveId, endpointId, since],
	);
	return rows[0]?.id ?? null;
}

/** Records that an event was sent unkindly just now, by the id of its delivery. */
export const insertUnkindEvent = (tx: Query, goLiveId: string, kind: "event_twice" | "event_late", id: string) =>
	tx.query("insert into golive_unkind_act (golive_id, at, id, kind) values ($1, clock_timestamp(), $2, $3)", [
		goLiveId,
		id,
		kind,
	]);
