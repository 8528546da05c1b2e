import { prepared } from "../../ground/pg/query.ts";

const HOLDERS = `
	     select o.reservation_token, h.created_at, 1 as turn from orders o join hold h using (reservation_token) where o.is_open
	     union all
	     select reservation_token, created_at, 2 from hold where ended_at is null`;

const holders = (isSo: string, order: string): string => `
	select n.reservation_token as token from (${HOLDERS}) n
	  where exists (select from hold_part p where p.reservation_token = n.reservation_token and ${isSo} offset 0)
	  order by ${order}`;

/**
 * Active holds and open orders with a part that is so, in the order of `byTurn` (holds/bound-parts.ts), so that those
 * of one batch come before those of the next. `isSo`: a condition on hold_part p.
 */
export const holdersWith = (isSo: string): string => holders(isSo, "n.turn, n.created_at, n.reservation_token");

const HAS_UNITS = "p.fg_id = any($1::uuid[]) and p.own_state is null";

/**
 * Active holds and open orders with units on these lots, at most so many, in their turn. There is no index from a lot
 * to its parts, which would be written with every hold: every active hold and open order is looked at, some
 * microseconds each, and no row is locked.
 */
export const selectHoldersOf = prepared<[token: string]>("select_holders", `${holdersWith(HAS_UNITS)} limit $2`);

/** The same, the other way about: whoever loses units first when not all are taken. */
export const selectLosersOf = prepared<[token: string]>(
	"select_losers",
	`${holders(HAS_UNITS, "n.turn desc, n.created_at desc, n.reservation_token desc")} limit $2`,
);
