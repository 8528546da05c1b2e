import { prepared } from "../../ground/pg/query.ts";

/**
 * Open orders and active holds that lost units to a lot and have fewer units than they were granted: orders first, of
 * each the oldest first. Every active hold and open order is looked at, and no row is locked: what each lacks is
 * decided under locks.
 */
export const selectWhoLacks = prepared<[token: string]>(
	"select_who_lacks",
	`select n.reservation_token
	   from (
	     select reservation_token, 1 as turn from orders where is_open
	     union all
	     select reservation_token, 2 from hold where ended_at is null and expires_at > now()) n
	   join hold h using (reservation_token)
	  where exists (
	      select from hold_part p
	       where p.reservation_token = n.reservation_token and p.fg_id = $1 and p.own_state = 'displaced' offset 0)
	    and (select coalesce(sum(units), 0) from hold_part p
	          where p.reservation_token = n.reservation_token and (p.own_state is null or p.own_state = 'shipped'))
	      < (select sum((l.line ->> 'qty')::bigint * (c.component ->> 'per_kit')::bigint)
	           from jsonb_array_elements(h.lines) l(line), jsonb_array_elements(l.line -> 'components') c(component))
	  order by n.turn, h.created_at, h.reservation_token`,
);
