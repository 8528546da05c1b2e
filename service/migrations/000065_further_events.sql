-- Further events of which partners are told if an endpoint of theirs chose the type: see docs/decisions/0098.
-- expands: releases before it write events of orders, and of tests, which have none.
alter table event
  drop constraint event_type_check,
  add constraint event_type_check check (type in (
    'order.shipped', 'order.held', 'order.cancelled', 'order.released', 'shipment.label_created', 'shipment.voided',
    'hold.impaired', 'certificate.retired', 'webhook.test')),
  -- so that no event is taken for one of another kind
  add constraint event_order check (
    (order_id is null) = (type in ('hold.impaired', 'certificate.retired', 'webhook.test')));
