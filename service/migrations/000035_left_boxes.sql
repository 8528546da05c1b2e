-- The box that an order left when it was combined with others is found by the order: the list of shipments tells of it.
create index shipment_cancelled on shipment ((order_ids[1])) where status = 'cancelled';
