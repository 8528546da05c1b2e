-- The lists of deliveries and events for operators, newest first (partners/webhooks/operator-sql.ts).
create index webhook_delivery_newest on webhook_delivery (seq, endpoint_id);
create index webhook_delivery_given_up on webhook_delivery (status, seq, endpoint_id) where status in ('exhausted', 'dropped');
create index event_of_order on event (order_id, seq) where order_id is not null;
