-- What was promised when: every change of promised demand and of the safety buffers, so that `holdfast explain --at` can say what a
-- partner was told then. Append-only.

create table promise_log (
  seq        bigint generated always as identity primary key,
  at         timestamptz not null,   -- the database's clock when it was written; it is in force from the commit on, moments later
  formula_id uuid not null,
  pool_id    integer not null,
  reference  text,                   -- null: the safety buffer
  units      integer not null check (units >= 0) -- from then on; 0: nothing any more
);
create index promise_log_of on promise_log (formula_id, pool_id, at);

-- What stands now is taken to have stood since it was first written; a safety buffer has no such time, and counts as always there.
insert into promise_log (at, formula_id, pool_id, reference, units)
select created_at, formula_id, pool_id, reference, units from demand
union all
select '-infinity', formula_id, pool_id, null, units from safety_buffer;

create function log_promise() returns trigger language plpgsql as $$
declare
  is_demand boolean := tg_table_name = 'demand';
begin
  -- by row, so that a statement that changes nothing of a row leaves no line
  if tg_op = 'UPDATE' and new is not distinct from old then
    return null;
  end if;
  if tg_op = 'DELETE' then
    insert into promise_log (at, formula_id, pool_id, reference, units)
    values (clock_timestamp(), old.formula_id, old.pool_id, case when is_demand then to_jsonb(old) ->> 'reference' end, 0);
  else
    insert into promise_log (at, formula_id, pool_id, reference, units)
    values (clock_timestamp(), new.formula_id, new.pool_id, case when is_demand then to_jsonb(new) ->> 'reference' end, new.units);
  end if;
  return null;
end $$;
create trigger demand_logged after insert or update or delete on demand for each row execute function log_promise();
create trigger safety_buffer_logged after insert or update or delete on safety_buffer for each row execute function log_promise();
