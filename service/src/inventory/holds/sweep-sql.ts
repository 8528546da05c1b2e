import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";

/**
 * Looks through all holds that may be due and notes before when none of them ends: never later than a minute ago,
 * because holds that are being made now end a minute from now or later.
 */
export const noteSwept = prepared(
	"note_swept",
	`update sweep_mark set swept_to = least(
	   now() - interval '1 minute', (select expires_at from hold where ended_at is null order by expires_at limit 1))`,
);

/** A clock that stepped back: holds made now may end before the mark. */
export const forgetMarkAhead = prepared(
	"forget_mark",
	"update sweep_mark set swept_to = '-infinity' where swept_to > now()",
);

const selectOverdue = prepared<[seconds: number]>(
	"select_overdue",
	`select coalesce((select greatest(0, extract(epoch from now() - expires_at)::float8) from hold
	   where ended_at is null and expires_at >= (select swept_to from sweep_mark) order by expires_at limit 1), 0)`,
);

/** For how long the oldest active hold has been past its end, in seconds; 0: none is. */
export const selectOverdueSeconds = async (db: Query): Promise<number> => (await selectOverdue(db, []))[0]?.[0] ?? 0;
