import { WAITING_IN_SQL } from "../orders/shipment.ts";

/*
 * What must be true of orders, their boxes and what partners were told, in the form of verify-sql.ts: statements that return only what is
 * wrong.
 */

const STATES = ["held", "freed", "displaced", "allocated", "consumed", "returned", "shipped"] as const;
type State = (typeof STATES)[number];

const bit = (state: State): number => 2 ** STATES.indexOf(state);
const bits = (...states: State[]): number => states.reduce((sum, state) => sum + bit(state), 0);

/** Names of states of parts that were summed up as bits, which needs no sorting. */
export function stateNames(sum: string): string {
	const cases = STATES.map((name) => `case when ${sum} & ${bit(name)} <> 0 then '${name}' end`);
	return `nullif(concat_ws(', ', ${cases.join(", ")}), '')`;
}
/** The bit of a part's state. */
export const STATE_BIT = `case state ${STATES.map((name) => `when '${name}' then ${bit(name)}`).join(" ")} end`;

/** Orders against their hold and its parts. */
const ORDERS = `
with parts as (
  select reservation_token, bit_or(${STATE_BIT}) as states,
         coalesce(sum(units) filter (where state in ('allocated', 'shipped')), 0) as has
    from part_now where hold_status = 'placed' group by 1)
select 'order-hold', 'order ' || o.order_id, 'a placed hold of key ' || o.key_id || ', partner ' || o.partner_id || ', ' || o.environment,
       coalesce('one that is ' || h.status || ', of key ' || h.key_id || ', partner ' || h.partner_id || ', ' || coalesce(k.environment, 'no key'), 'none')
  from orders o left join hold h using (reservation_token) left join api_key k on k.key_id = o.key_id
 where h.reservation_token is null or h.status <> 'placed' or h.key_id <> o.key_id or h.partner_id <> o.partner_id
    or k.environment <> o.environment
union all
select 'order-hold', 'hold ' || h.reservation_token, '1 order', count(o.order_id) || ' orders'
  from hold h left join orders o using (reservation_token)
 where h.status = 'placed' group by h.reservation_token having count(o.order_id) <> 1
union all
select 'order-parts', 'order ' || o.order_id,
       o.status || ' with parts only ' || ${stateNames("s.allowed")} || coalesce(', some of them ' || ${stateNames("s.needed")}, ''),
       coalesce(${stateNames("p.states")}, 'no parts')
  from orders o join hold h using (reservation_token) left join parts p using (reservation_token)
 cross join lateral (select case o.status
     when 'placed' then ${bits("displaced", "allocated")} when 'picked' then ${bits("displaced", "allocated")}
     when 'held' then ${bits("displaced", "allocated", "shipped")}
     when 'partially_shipped' then ${bits("displaced", "allocated", "shipped")}
     when 'shipped' then ${bits("displaced", "shipped")} else ${bits("displaced", "freed")} end as allowed,
   case o.status
     when 'placed' then ${bits("allocated")} when 'picked' then ${bits("allocated")}
     when 'partially_shipped' then ${bits("allocated", "shipped")} when 'shipped' then ${bits("shipped")} else 0 end as needed) s
 where h.status = 'placed' and (coalesce(p.states & ~s.allowed <> 0, true) or p.states & s.needed <> s.needed)
union all
select 'order-whole', 'order ' || o.order_id || ', ' || o.status, w.units || ' units granted', coalesce(p.has, 0) || ' in parts'
  from orders o join hold h using (reservation_token) left join parts p using (reservation_token)
 cross join lateral (
    select coalesce(sum((l.line->>'qty')::bigint * (c.component->>'per_kit')::bigint), 0) as units
      from jsonb_array_elements(h.lines) l(line), jsonb_array_elements(l.line->'components') c(component)) w
 where h.status = 'placed' and o.status not in ('held', 'cancelled') and coalesce(p.has, 0) <> w.units`;

/** Boxes against the orders in them, and against what was shipped. A box that was given up may go on naming an order that left it. */
const BOXES = `
with
  lists as (select order_id, unnest(shipment_ids) as shipment_id from orders),
  boxed as (select unnest(order_ids) as order_id, shipment_id, status from shipment),
  waiting as (select order_id, count(*) as boxes from boxed where status in ${WAITING_IN_SQL} group by 1),
  packed as (
    select (i.item->>'order_id')::uuid as order_id, (l.lot->>'fg_id')::uuid as fg_id, sum((l.lot->>'units')::bigint) as units
      from shipment s cross join lateral jsonb_array_elements(s.items) i(item) cross join lateral jsonb_array_elements(i.item->'lots') l(lot)
     where s.status = 'shipped' group by 1, 2),
  gone as (
    select o.order_id, p.fg_id, sum(p.units) as units
      from orders o join part_now p using (reservation_token) where p.state = 'shipped' group by 1, 2)
select 'order-box', 'order ' || o.order_id || ', ' || o.status, o.is_open::int || ' boxes that wait', coalesce(w.boxes, 0)::text
  from orders o left join waiting w using (order_id) where coalesce(w.boxes, 0) <> o.is_open::int
union all
select 'order-shipment', 'order ' || l.order_id, 'it is in box ' || l.shipment_id, 'the box does not say so'
  from lists l left join boxed b using (order_id, shipment_id) where b.order_id is null
union all
select 'order-shipment', 'box ' || b.shipment_id || ', ' || b.status, 'order ' || b.order_id || ' in it', 'the order does not say so'
  from boxed b left join lists l using (order_id, shipment_id) where l.order_id is null and b.status <> 'cancelled'
union all
select 'shipment-items', 'order ' || order_id || ', lot ' || fg_id, coalesce(g.units, 0) || ' units shipped in parts',
       coalesce(p.units, 0) || ' in boxes'
  from packed p full join gone g using (order_id, fg_id) where p.units is distinct from g.units`;

/** What partners were told, and the numbers of both lists. */
const EVENTS = `
with
  left_house as (select unnest(order_ids) as order_id, shipment_id from shipment where status in ('shipped', 'voided')),
  told as (
    select order_id, (body::jsonb #>> '{data,shipment,shipment_id}')::uuid as shipment_id, count(*) as events
      from event where type = 'order.shipped' group by 1, 2)
select 'order-event', 'order ' || order_id || ', box ' || shipment_id, (h.order_id is not null)::int || ' events order.shipped',
       coalesce(t.events, 0)::text
  from left_house h full join told t using (order_id, shipment_id) where coalesce(t.events, 0) <> (h.order_id is not null)::int
union all
select 'order-event', 'order ' || o.order_id, 'an event order.held of ' || o.held_at, 'none'
  from orders o
 where o.status = 'held'
   and not exists (select from event e where e.order_id = o.order_id and e.type = 'order.held' and e.created_at = o.held_at)
union all
select 'epoch', 'shipments', 'no change above ' || e.version, 'change ' || m.last
  from shipment_epoch e, (select max(modified_seq) as last from shipment) m where m.last > e.version
union all
select 'epoch', 'events', 'no event above ' || e.version, 'event ' || m.last
  from event_epoch e, (select max(seq) as last from event) m where m.last > e.version
union all
select 'number-twice', 'shipments, change ' || modified_seq, '1 box', count(*)::text
  from shipment group by modified_seq having count(*) > 1
union all
select 'number-twice', 'events, number ' || seq, '1 event', count(*)::text from event group by seq having count(*) > 1`;

export const ORDER_STATEMENTS = { ORDERS, BOXES, EVENTS } as const;
