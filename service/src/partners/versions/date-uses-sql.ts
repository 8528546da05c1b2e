import type { Query } from "../../ground/pg/connect.ts";

/**
 * Maximum number of keys (the newest) whose requests are read, and of the last chunks of each in the log of requests.
 */
const MOST_KEYS = 1_000;
const LAST_CHUNKS = 3;
/** Maximum number of keys that are named for one date. */
export const MOST_USERS = 100;

/** A key that uses an API date. */
export interface DateUse {
	readonly date: string;
	/** Its public half. */
	readonly key: string;
	readonly keyName: string;
	readonly partner: string;
	/** Its last request on this date, in epoch milliseconds. */
	readonly lastSeenAt: number;
}

/**
 * The keys in force that used these API dates in their last requests: at most MOST_USERS keys and one more for each
 * date, the last seen first. It reads a few chunks of each key, however long the log is.
 */
export const selectDateUses = async (db: Query, dates: readonly string[]): Promise<DateUse[]> =>
	(
		await db.query<DateUse>(
			`select date, key, "keyName", partner, "lastSeenAt" from (
			   select r.date_used as date, k.pk as key, k.name as "keyName", p.name as partner, max(r.at)::float8 as "lastSeenAt",
			          row_number() over (partition by r.date_used order by max(r.at) desc, k.pk) as place
			     from (select * from api_key
			            where (revoke_at is null or revoke_at > now()) and (expires_at is null or expires_at > now())
			            order by key_id desc limit ${MOST_KEYS}) k
			     join partner p using (partner_id)
			    cross join lateral (select requests from request_log
			                         where key_id = k.key_id order by last_at desc limit ${LAST_CHUNKS}) c
			    cross join lateral json_to_recordset(c.requests::json) as r(at bigint, date_used text)
			    where r.date_used = any($1::text[])
			    group by r.date_used, k.pk, k.name, p.name) used
			  where place <= $2 order by date, place`,
			[dates, MOST_USERS + 1],
		)
	).rows;
