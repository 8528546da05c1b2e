-- Receipts: what came into a lot on a day, for the list that a brand reads. One row for a lot and a day; written in the batch that moves
-- the units, under the lot's lock. See docs/decisions/0033.

-- Orders all changes of receipts: each changed row takes the next number, in commit order (docs/decisions/0029).
create table receipt_epoch (like key_epoch including all);
insert into receipt_epoch values (true, 0);

create table receipt (
  receipt_id      uuid not null,
  fg_id           uuid not null,               -- no foreign key: see docs/decisions/0004; `holdfast verify` proves what it would
  pool_id         integer not null,            -- the lot's, so that a brand's page is read by one index
  received_on     date not null,
  units_received  integer not null check (units_received >= 0), -- units, on that day
  units_corrected integer not null,            -- units, by recounts while this was the lot's last receipt
  updated_at      timestamptz not null,        -- the database's clock, when the row was last changed
  version         bigint not null,
  -- two indexes and no more: an import writes very many of these rows
  primary key (fg_id, received_on),
  unique (pool_id, version)
);

-- Lots that exist: all that each has received, as one receipt of the day on which it first came.
insert into receipt (receipt_id, fg_id, pool_id, received_on, units_received, units_corrected, updated_at, version)
select gen_random_uuid(), fg_id, pool_id, received_on, received, corrected, created_at,
       row_number() over (order by received_on, created_at, fg_id)
  from lot where received <> 0 or corrected <> 0;
update receipt_epoch set version = (select count(*) from receipt) where exists (select from receipt);
