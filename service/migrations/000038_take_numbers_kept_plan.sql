-- Every batch that places or ships orders takes numbers of boxes. A statement that a function puts together is planned at each call; one that is
-- written out keeps its plan as long as the connection keeps plans. See docs/decisions/0063.
create or replace function take_numbers(epoch regclass, count bigint) returns bigint language plpgsql as $$
declare
  last bigint;
begin
  -- a number that does not grow would empty epoch_log, as if a change had been undone
  if count < 1 then
    raise exception 'take_numbers: count must be at least 1, not %', count using errcode = 'invalid_parameter_value';
  end if;
  if epoch = 'shipment_epoch'::regclass then
    update shipment_epoch set version = version + count returning version into strict last;
  else
    execute format('update %s set version = version + $1 returning version', epoch) into strict last using count;
  end if;
  return last;
end $$;
