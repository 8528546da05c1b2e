-- The list of a key's orders (docs/decisions/0083): each change of an order takes a number of the list of boxes, in the order
-- of the commits. Nodes of an earlier version cannot write orders from here on.
lock table orders, shipment_epoch in access exclusive mode;
alter table orders add modified_seq bigint;
do $$
declare
  orders_now bigint := (select count(*) from orders);
begin
  if orders_now = 0 then
    return;
  end if;
  update orders o set modified_seq = t.last - orders_now + n.n
    from (select order_id, row_number() over (order by updated_at, order_id) as n from orders) n,
         take_numbers_at('shipment_epoch', orders_now) t
   where o.order_id = n.order_id;
end $$;
alter table orders alter modified_seq set not null;
create unique index orders_of_key on orders (key_id, modified_seq);
create index orders_external on orders (key_id, external_order_id) where external_order_id is not null;
