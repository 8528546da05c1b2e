import { WAITING_IN_SQL } from "../../inventory/orders/shipment.ts";

/*
 * Rules for orders, their boxes and the events sent to partners, in the form of verify-sql.ts: each statement returns
 * only violations.
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

/** Boxes against their orders and against what was shipped. An abandoned box may still name an order that left it. */
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

/** The content of a box against the order's lines and the lots. */
const PACKED = `
with
  packed as (
    select s.shipment_id, i.item, (i.item->>'qty')::bigint as qty, h.lines->((i.item->>'line')::int) as line
      from shipment s cross join lateral jsonb_array_elements(s.items) i(item)
      left join orders o on o.order_id = (i.item->>'order_id')::uuid left join hold h using (reservation_token))
select 'shipment-lots', 'box ' || shipment_id || ', lot ' || coalesce(p.lot->>'fg_id', 'none'),
       'formula ' || l.formula_id || ', batch ' || l.batch_number, 'formula ' || (p.lot->>'formula_id') || ', batch ' || (p.lot->>'batch_number')
  from (select shipment_id, jsonb_array_elements(item->'lots') as lot from packed) p left join lot l on l.fg_id = (p.lot->>'fg_id')::uuid
 where l.formula_id::text is distinct from p.lot->>'formula_id' or l.batch_number is distinct from p.lot->>'batch_number'
union all
select 'shipment-lots', 'box ' || shipment_id || ', order ' || (item->>'order_id'), 'SKU ' || coalesce(line->>'sku', 'of no line'),
       'SKU ' || (item->>'sku')
  from packed where line->>'sku' is distinct from item->>'sku'
union all
select 'shipment-lots', 'box ' || shipment_id || ', order ' || (item->>'order_id') || ', formula ' || w.formula_id,
       w.units || ' units for ' || qty || ' kits', h.units::text
  from packed
 cross join lateral (
    select c.component->>'formula_id' as formula_id, qty * (c.component->>'per_kit')::bigint as units
      from jsonb_array_elements(line->'components') c(component)) w
 cross join lateral (
    select coalesce(sum((l.lot->>'units')::bigint), 0) as units
      from jsonb_array_elements(item->'lots') l(lot) where l.lot->>'formula_id' = w.formula_id) h
 where h.units <> w.units`;

/** The bodies of events, and their deliveries. Events whose bodies are no longer kept are skipped. */
const TOLD = `
with
  told as (select event_id, seq, type, order_id, created_at, partner_id, environment, body::jsonb->'data' as data from event where pruned_at is null),
  orders_told as (
    select t.event_id, o.ref, o.version, t.data from told t join orders o using (order_id)),
  kits as (
    select event_id, i.item->>'sku' as sku, null as batch_number, (i.item->>'qty')::bigint as units
      from told cross join lateral jsonb_array_elements(data #> '{shipment,items}') i(item) where type = 'order.shipped'
    union all
    select event_id, i.item->>'sku', l.lot->>'batch_number', (l.lot->>'units')::bigint
      from told cross join lateral jsonb_array_elements(data #> '{shipment,items}') i(item)
     cross join lateral jsonb_array_elements(i.item->'lots') l(lot) where type = 'order.shipped'),
  said as (select event_id, sku, batch_number, sum(units) as units from kits group by 1, 2, 3),
  boxed as (
    select t.event_id, i.item from told t join shipment s on s.shipment_id = (t.data #>> '{shipment,shipment_id}')::uuid
     cross join lateral jsonb_array_elements(s.items) i(item)
     where t.type = 'order.shipped' and i.item->>'order_id' = t.order_id::text),
  packed as (
    select event_id, sku, batch_number, sum(units) as units
      from (select event_id, item->>'sku' as sku, null as batch_number, (item->>'qty')::bigint as units from boxed
            union all
            select event_id, item->>'sku', l.lot->>'batch_number', (l.lot->>'units')::bigint
              from boxed cross join lateral jsonb_array_elements(item->'lots') l(lot)) b group by 1, 2, 3)
select 'event-body', 'event ' || event_id || ', SKU ' || sku || coalesce(', batch ' || batch_number, ', kits'),
       coalesce(p.units, 0) || ' in its box', coalesce(s.units, 0)::text
  from (select event_id, sku, coalesce(batch_number, '') as batch, batch_number, units from said) s
  full join (select event_id, sku, coalesce(batch_number, '') as batch, batch_number as b, units from packed) p using (event_id, sku, batch)
 where p.units is distinct from s.units
union all
select 'event-body', 'event ' || event_id, 'reference ' || ref || ', version ' || version || ' at most',
       'reference ' || coalesce(data->>'ref', 'none') || ', version ' || coalesce(data->>'order_version', 'none')
  from orders_told where data->>'ref' is distinct from ref or (data->>'order_version')::bigint > version
union all
-- as far as nothing of the endpoint was changed since: a change may begin before the event and commit after it
select 'event-delivery', 'event ' || t.event_id || ', endpoint ' || w.endpoint_id, 'a delivery', 'none'
  from told t join webhook_endpoint w using (partner_id, environment)
  left join webhook_delivery d on d.endpoint_id = w.endpoint_id and d.seq = t.seq
 where w.status = 'active' and t.type = any(w.event_types) and w.updated_at < t.created_at - interval '1 minute' and d.seq is null
union all
select 'event-owner', 'event ' || event_id || ', ' || type, coalesce(belongs, 'something that exists'), goes
  from (
    select t.event_id, t.type, 'partner ' || o.partner_id || ', ' || o.environment as belongs, 'partner ' || t.partner_id || ', ' || t.environment as goes
      from told t join orders o using (order_id)
    union all
    select t.event_id, t.type, 'partner ' || h.partner_id || ', ' || k.environment, 'partner ' || t.partner_id || ', ' || t.environment
      from told t left join hold h on h.reservation_token = (t.data->>'reservation_token')::uuid left join api_key k using (key_id)
     where t.type = 'hold.impaired'
    union all
    select t.event_id, t.type,
           (select min(c.environment) from certificate c
             where c.product_slug = t.data #>> '{product,slug}' and c.batch_number = t.data->>'batch_number' and c.status = 'retired'),
           t.environment
      from told t where t.type = 'certificate.retired') e
 where belongs is distinct from goes
union all
select 'delivery-answer', 'delivery ' || delivery_id, 'an attempt that was answered by 2xx', coalesce(attempts->-1->>'status', 'none')
  from webhook_delivery where status = 'delivered' and not coalesce((attempts->-1->>'status')::int between 200 and 299, false)`;

/** Compares events with orders and boxes; checks the numbers in the lists of shipments and of events. */
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
select 'epoch', 'orders', 'no change above ' || e.version, 'change ' || m.last
  from shipment_epoch e, (select max(modified_seq) as last from orders) m where m.last > e.version
union all
select 'epoch', 'events', 'no event above ' || e.version, 'event ' || m.last
  from event_epoch e, (select max(seq) as last from event) m where m.last > e.version
union all
select 'number-twice', 'shipments, change ' || modified_seq, '1 box', count(*)::text
  from shipment group by modified_seq having count(*) > 1
union all
select 'number-twice', 'events, number ' || seq, '1 event', count(*)::text from event group by seq having count(*) > 1`;

export const ORDER_STATEMENTS = { ORDERS, BOXES, PACKED, TOLD, EVENTS } as const;
