-- Readers of a list may come back with a time instead of a cursor. For that the time by which a list is filtered must grow with its numbers,
-- whatever the clock does, and must not be earlier than anything that was read before it was committed: it is taken together with
-- the numbers, under the lock of the epoch. `at` is the last such time. See docs/decisions/0064.
do $$
declare
  name text;
begin
  foreach name in array array['catalog_epoch', 'demand_epoch', 'key_epoch', 'shipment_epoch', 'event_epoch', 'receipt_epoch',
                              'webhook_endpoint_epoch', 'certificate_epoch'] loop
    execute format('alter table %I add column at timestamptz not null default %L', name, date_trunc('milliseconds', clock_timestamp()));
  end loop;
end $$;

-- When the last change of a box took its number. Boxes that are there get the time of this migration, and so do SKUs and
-- certificates: whoever reads by time reads everything once more, also what was missed before.
do $$
begin
  execute format('alter table shipment add column listed_at timestamptz not null default %L', (select at from shipment_epoch));
end $$;
alter table shipment alter column listed_at drop default;
create index shipment_listed on shipment (pool_id, listed_at, modified_seq);
drop index shipment_changed_at;
update sku set updated_at = at from catalog_epoch;
update certificate set updated_at = at from certificate_epoch where certificate.version is not null;

-- The last of `count` new numbers of an epoch, and their time.
create function take_numbers_at(epoch regclass, count bigint, out last bigint, out at timestamptz) language plpgsql as $$
declare
  moment timestamptz;
begin
  -- a number that does not grow would empty epoch_log, as if a change had been undone
  if count < 1 then
    raise exception 'take_numbers_at: count must be at least 1, not %', count using errcode = 'invalid_parameter_value';
  end if;
  -- the clock is read by the update, once it has the row
  if epoch = 'shipment_epoch'::regclass then
    update shipment_epoch e set version = e.version + count, at = greatest(e.at, date_trunc('milliseconds', clock_timestamp()))
      returning e.version, e.at into strict last, moment;
  else
    execute format('update %s e set version = e.version + $1, at = greatest(e.at, date_trunc(''milliseconds'', clock_timestamp()))
                    returning e.version, e.at', epoch) into strict last, moment using count;
  end if;
  at := moment;
end $$;
create or replace function take_numbers(epoch regclass, count bigint) returns bigint language sql as $$
  select last from take_numbers_at(epoch, count)
$$;

-- The time of a change whose transaction has locked the epoch: not before any that was taken.
create function list_time(epoch regclass) returns timestamptz language plpgsql as $$
declare
  moment timestamptz;
begin
  execute format('select greatest(at, date_trunc(''milliseconds'', clock_timestamp())) from %s', epoch) into strict moment;
  return moment;
end $$;
create or replace function certificate_now() returns timestamptz language sql volatile as $$
  select list_time('certificate_epoch')
$$;
