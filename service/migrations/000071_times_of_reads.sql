-- The `as_of` of a list is the time in its epoch. Nodes raise this time every few seconds, also when nothing changes (docs/decisions/0064).
-- Raising it is not a change of the list: only a new number gets a new stamp, and only that is logged.
create or replace trigger catalog_epoch_stamped before update of version on catalog_epoch for each row execute function stamp_epoch();
create or replace trigger demand_epoch_stamped before update of version on demand_epoch for each row execute function stamp_epoch();
create or replace trigger key_epoch_stamped before update of version on key_epoch for each row execute function stamp_epoch();
create or replace trigger certificate_epoch_stamped before update of version on certificate_epoch for each row execute function stamp_epoch();
create or replace trigger catalog_epoch_logged after update of version on catalog_epoch for each row execute function log_epoch();
create or replace trigger key_epoch_logged after update of version on key_epoch for each row execute function log_epoch();

-- The time of a change whose transaction has locked the epoch: not before any that was taken. It is kept in the epoch, so that the
-- numbers that the transaction takes later do not get an earlier time if the clock steps back in between.
create or replace function list_time(epoch regclass) returns timestamptz language plpgsql as $$
declare
  moment timestamptz;
begin
  execute format('update %s e set at = greatest(e.at, date_trunc(''milliseconds'', clock_timestamp())) returning e.at', epoch) into strict moment;
  return moment;
end $$;
