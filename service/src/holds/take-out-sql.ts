import { prepared } from "../pg/query.ts";

/**
 * Active holds with units held on a lot, the youngest first, at most so many. There is no index from a lot to its parts, which
 * would be written with every hold: every active hold is looked at, some microseconds each, and no row is locked.
 */
export const selectHoldersOf = prepared<[token: string]>(
	"select_holders",
	`select h.reservation_token from hold h
	  where h.ended_at is null and exists (
	    select from hold_part p
	     where p.reservation_token = h.reservation_token and p.fg_id = $1 and p.own_state is null offset 0)
	  order by h.created_at desc, h.reservation_token desc limit $2`,
);
