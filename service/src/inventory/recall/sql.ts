import { SANDBOX_POOL_ID } from "../../glossary.ts";
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
 * SQL for active holds and open orders with a part that meets a condition, in the order of `byTurn`
 * (holds/bound-parts.ts), so that results of successive batches are in order, too. `isSo`: the condition on hold_part
 * p.
 */
export const holdersWith = (isSo: string): string => holders(isSo, "n.turn, n.created_at, n.reservation_token");

const HAS_UNITS = "p.fg_id = any($1::uuid[]) and p.own_state is null";

/**
 * Active holds and open orders with units on these lots, at most $2, in the order of `byTurn`. An index from lots to
 * parts would have to be written with every hold, so this reads every active hold and open order, at some microseconds
 * each, and locks no row.
 */
export const selectHoldersOf = prepared<[token: string]>("select_holders", `${holdersWith(HAS_UNITS)} limit $2`);

/** The same in reverse: the order in which they lose units if not all are taken. */
export const selectLosersOf = prepared<[token: string]>(
	"select_losers",
	`${holders(HAS_UNITS, "n.turn desc, n.created_at desc, n.reservation_token desc")} limit $2`,
);

/** A lot, or the lots with a batch number: of a formula's code, of a product or of any; never the sandbox's. */
export const selectLotsToRecall = prepared<[fgId: string]>(
	"select_lots_to_recall",
	`select l.fg_id from lot l join formula f using (formula_id)
	  where (l.fg_id = $1::uuid or (l.batch_number = $2::text and ($3::text is null or f.code = $3)
	                                 and ($4::text is null or l.formula_id in (
	                                   select k.formula_id from sku s join sku_component k using (sku) where s.slug = $4)))) and l.pool_id <> ${SANDBOX_POOL_ID}
	  order by l.fg_id`,
);

/**
 * Open orders and active holds that lost units of a lot and have fewer units than granted: orders first, oldest first
 * within each. Reads every active hold and open order and locks no row; the exact shortage is determined under locks.
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
