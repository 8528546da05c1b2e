import { prepared } from "../pg/query.ts";

/** Active holds and open orders with a part that is so, in the order in which a recall comes to them. `isSo`: a condition on hold_part p. */
export const holdersWith = (isSo: string): string => `
	select n.reservation_token as token
	   from (
	     select reservation_token, created_at, 1 as turn from hold where ended_at is null
	     union all
	     select reservation_token, placed_at, 2 from orders where is_open) n
	  where exists (select from hold_part p where p.reservation_token = n.reservation_token and ${isSo} offset 0)
	  order by n.turn, n.created_at desc, n.reservation_token desc`;

/**
 * Active holds and open orders with units on these lots, at most so many: holds first, of each the youngest first. There is no index from a lot
 * to its parts, which would be written with every hold: every active hold and open order is looked at, some microseconds each, and no
 * row is locked.
 */
export const selectHoldersOf = prepared<[token: string]>(
	"select_holders",
	`${holdersWith("p.fg_id = any($1::uuid[]) and p.own_state is null")} limit $2`,
);
