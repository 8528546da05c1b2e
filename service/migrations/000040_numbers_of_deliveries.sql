-- The place of a delivery in the list of its endpoint, where it is not the number of its event: a delivery that `recover` adds or begins anew
-- takes a new number of the same epoch, so that a reader at the end of the list sees it.
alter table webhook_delivery add column listed_seq bigint;
create unique index webhook_delivery_listed on webhook_delivery (endpoint_id, (coalesce(listed_seq, seq)));
