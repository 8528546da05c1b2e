-- One way to take numbers of an epoch; see docs/decisions/0029. Who takes a number keeps the epoch's row locked until the transaction
-- ends, so numbers become visible in their order: a reader that has seen number n misses nothing by asking for numbers above n.

-- Takes the next `count` numbers and returns the last of them.
create function take_numbers(epoch regclass, count bigint) returns bigint language plpgsql as $$
declare
  last bigint;
begin
  -- a number that does not grow would empty epoch_log, as if a change had been undone
  if count < 1 then
    raise exception 'take_numbers: count must be at least 1, not %', count using errcode = 'invalid_parameter_value';
  end if;
  execute format('update %s set version = version + $1 returning version', epoch) into strict last using count;
  return last;
end $$;

-- Promised demand is read whole, so each changing statement takes one number for all of its rows.
create or replace function note_demand_change() returns trigger language plpgsql as $$
begin
  perform take_numbers('demand_epoch', 1);
  return null;
end $$;
