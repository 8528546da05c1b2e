-- The operator's lists of demand: all of it, the oldest first; what stands under one reference; and the open exceptions.
create index demand_by_age on demand (created_at, formula_id, pool_id, reference);
create index demand_by_reference on demand (reference);
create index demand_exception_open_by_id on demand_exception (exception_id) where closed_at is null;
