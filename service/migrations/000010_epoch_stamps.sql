-- The number of an epoch can go back: a restore, a failover that lost the last change, a change undone in SQL. The next change then
-- takes a number that a running node already knows by other contents. So every change also takes a random stamp, and what is in
-- memory is trusted by its stamp; see docs/decisions/0022.

-- in the order in which batches come to them
lock table catalog_epoch, demand_epoch, key_epoch in access exclusive mode;

alter table catalog_epoch add column stamp uuid not null default gen_random_uuid();
alter table demand_epoch add column stamp uuid not null default gen_random_uuid();
alter table key_epoch add column stamp uuid not null default gen_random_uuid();

-- The last changes of the catalogue and of the keys. Who stands at one of these stamps has missed only rows of later numbers.
create table epoch_log (
  epoch   text not null,   -- the epoch's table
  version bigint not null,
  stamp   uuid not null,
  primary key (epoch, version)
);
insert into epoch_log select 'catalog_epoch', version, stamp from catalog_epoch;
insert into epoch_log select 'key_epoch', version, stamp from key_epoch;

-- As triggers, so that the statements of the version before are stamped, too.
create function stamp_epoch() returns trigger language plpgsql as $$
begin
  new.stamp := gen_random_uuid();
  return new;
end $$;
create function log_epoch() returns trigger language plpgsql as $$
begin
  -- whoever undid a change may have changed any row: nobody may go on from an earlier stamp
  if new.version <= old.version then
    delete from epoch_log where epoch = tg_table_name;
  end if;
  insert into epoch_log values (tg_table_name, new.version, new.stamp);
  delete from epoch_log where epoch = tg_table_name and version <= (
    select version from epoch_log where epoch = tg_table_name order by version desc offset 1000 limit 1);
  return null;
end $$;
create trigger catalog_epoch_stamped before update on catalog_epoch for each row execute function stamp_epoch();
create trigger demand_epoch_stamped before update on demand_epoch for each row execute function stamp_epoch();
create trigger key_epoch_stamped before update on key_epoch for each row execute function stamp_epoch();
create trigger catalog_epoch_logged after update on catalog_epoch for each row execute function log_epoch();
create trigger key_epoch_logged after update on key_epoch for each row execute function log_epoch();
