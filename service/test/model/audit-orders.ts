/**
 * States that must never occur in the rows of orders, their holds, boxes and events. Shares no code with the service.
 */
export const ORDER_QUESTIONS: { readonly [what: string]: string } = {
	"allocated or shipped units of a lot are not those of its parts": `
		select l.fg_id, l.allocated, l.shipped, p.allocated as of_parts, p.shipped as shipped_of_parts from lot l
		  cross join lateral (select coalesce(sum(units) filter (where state = 'allocated'), 0) as allocated,
		                             coalesce(sum(units) filter (where state = 'shipped'), 0) as shipped
		                        from part_now p where p.fg_id = l.fg_id) p
		  cross join lateral (select coalesce(sum(m.units), 0) as units from unit_move m
		     where m.fg_id = l.fg_id and m.to_bucket = 'shipped' and m.cause = 'draw_down') elsewhere
		 where l.allocated <> p.allocated or l.shipped <> p.shipped + elsewhere.units`,
	"a placed hold has no order, or an order no placed hold of its key": `
		select h.reservation_token, h.status, o.order_id, o.status as order_status
		  from hold h full join orders o using (reservation_token)
		 where (h.status = 'placed') is distinct from (o.order_id is not null)
		    or o.key_id <> h.key_id or o.partner_id <> h.partner_id`,
	"an order has other units than its status says": `
		select o.order_id, o.status, u.* from orders o join hold h using (reservation_token)
		  cross join lateral (select coalesce(sum(units) filter (where state = 'allocated'), 0) as allocated,
		                             coalesce(sum(units) filter (where state = 'shipped'), 0) as shipped
		                        from part_now p where p.reservation_token = o.reservation_token) u
		  cross join lateral (select sum((line->>'qty')::int * (c->>'per_kit')::int) as wanted
		     from jsonb_array_elements(h.lines) line, jsonb_array_elements(line->'components') c) w
		 where u.allocated + u.shipped > w.wanted
		    or (o.status in ('placed', 'picked') and (u.shipped > 0 or u.allocated <> w.wanted))
		    or (o.status = 'partially_shipped' and (u.shipped = 0 or u.allocated + u.shipped <> w.wanted or u.allocated = 0))
		    or (o.status = 'shipped' and u.shipped <> w.wanted)
		    or (o.status = 'cancelled' and u.allocated + u.shipped > 0)`,
	"an order and a box do not name each other": `
		select o.order_id, s.shipment_id, s.status from orders o
		  cross join unnest(o.shipment_ids) n(shipment_id) left join shipment s using (shipment_id)
		 where s.shipment_id is null or not o.order_id = any(s.order_ids)
		union all
		select n.order_id, s.shipment_id, s.status from shipment s
		  cross join unnest(s.order_ids) n(order_id) left join orders o using (order_id)
		 where o.order_id is null or (s.status <> 'cancelled' and not s.shipment_id = any(o.shipment_ids))`,
	"an order waits in no box, or in two": `
		select o.order_id, o.status, b.n from orders o
		  cross join lateral (select count(*) as n from shipment s
		     where s.shipment_id = any(o.shipment_ids) and s.status in ('awaiting_shipment', 'on_hold', 'label_created')) b
		 where b.n <> case when o.is_open then 1 else 0 end`,
	"a box stands still and none of its orders does, or the other way round": `
		select s.shipment_id, s.status from shipment s
		  cross join lateral (select bool_or(o.status = 'held') as held from orders o where o.order_id = any(s.order_ids)) o
		 where s.status in ('awaiting_shipment', 'on_hold', 'label_created') and (s.status = 'on_hold') <> o.held`,
	"shipped units of an order are not those in its boxes": `
		select o.order_id, p.shipped, b.packed from orders o
		  cross join lateral (select coalesce(sum(units) filter (where state = 'shipped'), 0) as shipped
		                        from part_now p where p.reservation_token = o.reservation_token) p
		  cross join lateral (select coalesce(sum((l->>'units')::int), 0) as packed
		     from shipment s, jsonb_array_elements(s.items) i, jsonb_array_elements(i->'lots') l
		    where s.shipment_id = any(o.shipment_ids) and s.status = 'shipped' and i->>'order_id' = o.order_id::text) b
		 where p.shipped <> b.packed`,
	"an event is about an order or a version that never was": `
		select e.event_id from event e left join orders o using (order_id)
		 where e.type like 'order.%' and (o.order_id is null or (e.body::jsonb #>> '{data,order_version}')::int > o.version
		    or e.event_id <> 'evt_' || replace(o.order_id::text, '-', '') || lpad(e.body::jsonb #>> '{data,order_version}', 4, '0'))`,
	"a box left and its orders were not told of it once each": `
		select s.shipment_id, n.order_id, e.n from shipment s cross join unnest(s.order_ids) n(order_id)
		  cross join lateral (select count(*) as n from event e
		     where e.order_id = n.order_id and e.type = 'order.shipped'
		       and e.body::jsonb #>> '{data,shipment,shipment_id}' = s.shipment_id::text) e
		 where e.n <> case when s.status in ('shipped', 'voided') then 1 else 0 end`,
	"an order is held and its partner was not told why": `
		select o.order_id from orders o
		 where o.status = 'held' and o.hold_reason is distinct from (
		   select e.body::jsonb #>> '{data,reason}' from event e
		    where e.order_id = o.order_id and e.type = 'order.held' order by e.seq desc limit 1)`,
};
