import { BUCKETS } from "../../glossary.ts";
import { HOLD_CAUSES } from "./hold-causes.ts";
import { STATE_BIT, stateNames } from "./verify-orders-sql.ts";

/*
 * The rules that add up moves and parts, in the form of verify-sql.ts. A run since a seal begins with the sums of that
 * seal and adds the later moves.
 */

/** Whether a run reads every row, or those since the last seal. */
export type VerifyScope = "whole" | "since";

export const HOLD_CAUSES_IN_SQL = `(${HOLD_CAUSES.map((cause) => `'${cause}'`).join(", ")})`;

/** The sums of a hold's moves, in the columns of `hold_seal`. */
export const HOLD_SUMS = {
	reserved: "coalesce(sum(units) filter (where cause = 'reserve'), 0)",
	consumed: "coalesce(sum(units) filter (where cause = 'consume'), 0)",
	reversed: "coalesce(sum(units) filter (where cause = 'reverse'), 0)",
	freed: "coalesce(sum(units) filter (where cause in ('release', 'expire', 'cancel')), 0)",
	placed: "coalesce(sum(units) filter (where cause = 'place'), 0)",
	shipped:
		"coalesce(sum(units) filter (where cause = 'ship'), 0) - coalesce(sum(units) filter (where cause = 'void'), 0)",
} as const;
export const HOLD_SUM_NAMES = Object.keys(HOLD_SUMS) as readonly (keyof typeof HOLD_SUMS)[];

/** Moves by hold. */
export const MOVED_BY_HOLD = `
    select cause_id, ${HOLD_SUM_NAMES.map((name) => `${HOLD_SUMS[name]} as ${name}`).join(", ")}
      from unit_move where cause in ${HOLD_CAUSES_IN_SQL} group by 1`;
const MOVED_WITH_SEALED = `
    select cause_id, ${HOLD_SUM_NAMES.map((name) => `sum(${name}) as ${name}`).join(", ")}
      from (${MOVED_BY_HOLD} union all select cause_id, ${HOLD_SUM_NAMES.join(", ")} from earlier_of_hold) m group by 1`;

/** The balances of lot `l`. */
const BALANCES = BUCKETS.map((bucket) => `l.${bucket}`);
const BALANCED = ["received", "corrected", ...BUCKETS].map(
	(name) => `('lot-balance', ', ${name}', coalesce(n.${name}, 0), l.${name})`,
);
const SEALED_LOTS = " union all select fg_id, bucket, units from lot_seal";
const DRAWN = " left join (select fg_id, sum(units) as units from draw_down group by 1) d using (fg_id)";
const ENDED_PARTS = `('lot-parts', ', consumed', coalesce(b.consumed, 0), l.consumed),
   ('lot-parts', ', shipped', coalesce(b.shipped, 0) + coalesce(d.units, 0), l.shipped),`;

/**
 * Every balance recomputed from the ledger and from the parts of holds. The parts of a run since a seal are those of
 * some holds: all that are active or have an open order, but few of those that ended.
 */
const lotsOf = (scope: VerifyScope): string => `
with
  ins as (select fg_id, to_bucket as bucket, sum(units) as units from unit_move group by 1, 2),
  outs as (select fg_id, from_bucket as bucket, sum(units) as units from unit_move group by 1, 2),
  net as (
    select fg_id, ${BUCKETS.map((bucket) => `sum(units) filter (where bucket = '${bucket}') as ${bucket}`).join(", ")},
           -sum(units) filter (where bucket = 'received') as received, -sum(units) filter (where bucket = 'corrected') as corrected
      from (select * from ins union all select fg_id, bucket, -units from outs${scope === "since" ? SEALED_LOTS : ""}) m group by 1),
  bound as (
    select fg_id, sum(units) filter (where state = 'held') as held, sum(units) filter (where state = 'allocated') as allocated,
           sum(units) filter (where state = 'consumed') as consumed, sum(units) filter (where state = 'shipped') as shipped
      from part_now
     group by 1)
select v.rule, 'lot ' || l.fg_id || v.what, v.expected::text, v.found::text
  from lot l left join net n using (fg_id) left join bound b using (fg_id)${scope === "whole" ? DRAWN : ""}
 cross join lateral (values
   ${BALANCED.join(",\n   ")},
   ('lot-parts', ', held', coalesce(b.held, 0), l.held),
   ('lot-parts', ', allocated', coalesce(b.allocated, 0), l.allocated),
   ${scope === "whole" ? ENDED_PARTS : ""}
   ('lot-conservation', '', l.received::bigint + l.corrected,
     ${BALANCES.join("::bigint + ")}),
   ('lot-negative', '', greatest(0, least(l.received, ${BALANCES.join(", ")})), least(0, l.received, ${BALANCES.join(", ")}))
 ) v(rule, what, expected, found)
 where (v.rule <> 'lot-negative' and v.expected <> v.found) or (v.rule = 'lot-negative' and v.found < 0)
union all
select 'move-without-lot', 'moves of lot ' || n.fg_id, 'a lot', 'none' from net n left join lot l using (fg_id) where l.fg_id is null`;

/**
 * Holds against their parts, their key and their moves. States of parts are summed up as bits, which needs no sorting.
 */
const holdsOf = (scope: VerifyScope): string => `
with
  parts as (
    select reservation_token, sum(units) as ever,
           coalesce(sum(units) filter (where state in ('consumed', 'returned', 'shipped')), 0) as taken,
           coalesce(sum(units) filter (where state = 'returned'), 0) as returned,
           coalesce(sum(units) filter (where state = 'freed'), 0) as freed,
           coalesce(sum(units) filter (where state = 'shipped'), 0) as shipped,
           bit_or(${STATE_BIT}) as states
      from part_now
     group by 1),
  moved as (${scope === "whole" ? MOVED_BY_HOLD : MOVED_WITH_SEALED})
select v.rule, 'hold ' || reservation_token, v.expected, v.found
  from (
    select h.*, k.partner_id as key_partner_id, p.states, s.allowed, w.units as wanted,
           coalesce(p.ever, 0) as ever, coalesce(p.returned, 0) as given_back,
           case when h.status in ('consumed', 'reversed') then coalesce(p.taken, 0) else 0 end as taken,
           coalesce(p.shipped, 0) as shipped, coalesce(m.shipped, 0) as moved_out, coalesce(m.placed, 0) as placed,
           case when h.status = 'placed' then w.units else 0 end as to_place,
           coalesce(p.freed, 0) as freed, coalesce(m.freed, 0) as moved_free,
           coalesce(m.reserved, 0) as reserved, coalesce(m.consumed, 0) as consumed, coalesce(m.reversed, 0) as reversed,
           coalesce(h.consumed_units, 0) as said_consumed, coalesce(h.returned_units, 0) as said_returned
      from hold h left join parts p using (reservation_token)
      left join moved m on m.cause_id = h.reservation_token::text
      left join api_key k on k.key_id = h.key_id
     cross join lateral (
        select coalesce(sum((l.line->>'qty')::bigint * (c.component->>'per_kit')::bigint), 0) as units
          from jsonb_array_elements(h.lines) l(line), jsonb_array_elements(l.line->'components') c(component)) w
     cross join lateral (select case h.status
         when 'active' then 1 + 2 + 4 -- a part is freed as soon as the hold's time is over, and a clock that steps back undoes nothing
         when 'consumed' then 4 + 16 + 32 + 64 when 'reversed' then 4 + 32
         when 'placed' then 2 + 4 + 8 + 32 + 64 else 2 + 4 end as allowed) s
  ) h
 cross join lateral (values
   ('hold-parts', coalesce(states & ~allowed <> 0, true), status || ' with parts only ' || ${stateNames("allowed")},
     coalesce(${stateNames("states")}, 'no parts')),
   ('hold-granted', ever < wanted, wanted || ' units granted', ever || ' in parts, displaced ones counted'),
   ('hold-reserved', reserved <> wanted, wanted || ' units reserved in the ledger', reserved::text),
   ('hold-consumed', said_consumed <> taken or said_consumed <> consumed, said_consumed || ' units consumed',
     taken || ' in parts, ' || consumed || ' in the ledger'),
   ('hold-returned', said_returned <> given_back or said_returned <> reversed, said_returned || ' units returned',
     given_back || ' in parts, ' || reversed || ' in the ledger'),
   ('hold-freed', freed <> moved_free, freed || ' units freed in parts', moved_free || ' in the ledger'),
   ('hold-placed', placed <> to_place, to_place || ' units placed', placed || ' in the ledger'),
   ('hold-shipped', shipped <> moved_out, shipped || ' units shipped in parts', moved_out || ' in the ledger, void ones left out'),
   ('hold-without-key', key_partner_id is null, 'key ' || key_id, 'none'),
   ('hold-partner', key_partner_id <> partner_id, key_partner_id::text, partner_id::text)
 ) v(rule, wrong, expected, found)
 where v.wrong
   -- said once more, so that sentences are made of wrong holds only
   and (states is null or states & ~allowed <> 0 or ever < wanted or reserved <> wanted
        or said_consumed <> taken or said_consumed <> consumed or said_returned <> given_back or said_returned <> reversed
        or freed <> moved_free or placed <> to_place or shipped <> moved_out or key_partner_id is null or key_partner_id <> partner_id)
union all
select 'move-without-hold', 'moves of hold ' || m.cause_id, 'a hold', 'none'
  from moved m left join hold h on h.reservation_token::text = m.cause_id where h.reservation_token is null`;

/** Units drawn down against the ledger. */
const DRAWN_DOWN = `
with moved as (select cause_id as reference, fg_id, sum(units) as units from unit_move where cause = 'draw_down' group by 1, 2)
select 'draw-down', 'reference ' || coalesce(d.reference, m.reference, 'none') || ', lot ' || coalesce(d.fg_id, m.fg_id),
       coalesce(d.units, 0) || ' units drawn down', coalesce(m.units, 0) || ' in the ledger'
  from draw_down d full join moved m using (reference, fg_id) where d.units is distinct from m.units`;

/** The same for moves since a seal: earlier ones may have drawn down more under their references. */
const DRAWN_DOWN_SINCE = `
select 'draw-down', 'reference ' || coalesce(m.reference, 'none') || ', lot ' || m.fg_id, m.units || ' units drawn down at least', coalesce(d.units, 0)::text
  from (select cause_id as reference, fg_id, sum(units) as units from unit_move where cause = 'draw_down' group by 1, 2) m
  left join draw_down d using (reference, fg_id) where coalesce(d.units, 0) < m.units`;

/**
 * The parts of holds consumed since a seal, lot by lot, in place of the sum over the consumed parts of each lot: nearly
 * all of those belong to holds that are not read again. A seal may end between two moves of one consume: the parts of
 * such a hold may have more units than the later moves, and `hold-consumed` compares its sums.
 */
const CONSUMED_SINCE = `
with
  moved as (select cause_id, fg_id, sum(units) as units from unit_move where cause = 'consume' group by 1, 2),
  parts as (
    select reservation_token::text as cause_id, fg_id, sum(units) as units from part_now
     where state in ('consumed', 'returned', 'shipped') and reservation_token::text in (select cause_id from moved) group by 1, 2)
select 'lot-parts', 'hold ' || cause_id || ', lot ' || fg_id, coalesce(m.units, 0) || ' units consumed in the ledger', coalesce(p.units, 0) || ' in parts'
  from moved m full join parts p using (cause_id, fg_id) left join earlier_of_hold e using (cause_id)
 where case when e.consumed > 0 then m.units > coalesce(p.units, 0) else m.units is distinct from p.units end`;

export const sumStatements = (scope: VerifyScope): Readonly<Record<string, string>> => ({
	LOTS: lotsOf(scope),
	HOLDS: holdsOf(scope),
	...(scope === "whole" ? { DRAWN_DOWN } : { DRAWN_DOWN_SINCE, CONSUMED_SINCE }),
});
