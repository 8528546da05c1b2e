import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";

/**
 * Stores as the mark the earliest end of any active hold, but no moment later than one minute ago, because holds that
 * are being made now end at least a minute from now.
 */
export const noteSwept = prepared(
	"note_swept",
	`update sweep_mark set swept_to = least(
	   now() - interval '1 minute', (select expires_at from hold where ended_at is null order by expires_at limit 1))`,
);

/** Resets a mark ahead of the clock, which must have been set back: holds made now may end before the mark. */
export const forgetMarkAhead = prepared(
	"forget_mark",
	"update sweep_mark set swept_to = '-infinity' where swept_to > now()",
);

const selectOverdue = prepared<[seconds: number]>(
	"select_overdue",
	`select coalesce((select greatest(0, extract(epoch from now() - expires_at)::float8) from hold
	   where ended_at is null and expires_at >= (select swept_to from sweep_mark) order by expires_at limit 1), 0)`,
);

/** Seconds for which the oldest active hold has been overdue; 0: none is. */
export const selectOverdueSeconds = async (db: Query): Promise<number> => (await selectOverdue(db, []))[0]?.[0] ?? 0;
