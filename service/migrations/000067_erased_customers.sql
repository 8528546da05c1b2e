-- The data of customers is erased some time after their order has ended, or when somebody asks for it; see
-- docs/decisions/0100.

-- The server's statistics keep samples of values, which nothing of ours would erase. No statement filters by one of
-- these columns in a way that a plan could follow, so the server keeps no statistics of them. Naming the type of a
-- column again, without a change, deletes what it has; that rewrites no row.
alter table orders alter column customer set statistics 0, alter column note set statistics 0,
  alter column hold_detail set statistics 0, alter column cancel_reason set statistics 0;
-- expands: the types stay as they are.
alter table orders alter column customer type jsonb, alter column note type text,
  alter column hold_detail type text, alter column cancel_reason type text;
alter table event alter column body set statistics 0;
-- expands: the type stays as it is.
alter table event alter column body type text;
alter table webhook_delivery alter column attempts set statistics 0;
-- A column that a trigger names cannot be altered: the trigger is made again as it was.
drop trigger webhook_delivery_noted on webhook_delivery;
-- expands: the type stays as it is.
alter table webhook_delivery alter column attempts type jsonb;
create trigger webhook_delivery_noted after update on webhook_delivery for each row
  when ((old.status, old.attempts, old.next_attempt_at) is distinct from (new.status, new.attempts, new.next_attempt_at))
  execute function note_live_change();
alter table label_push alter column detail set statistics 0;
-- expands: the type stays as it is.
alter table label_push alter column detail type text;
-- The days of the log of requests that are there; later ones are created so (upkeep/traffic/days-sql.ts).
do $$
declare
  day regclass;
begin
  for day in select relid from pg_partition_tree('request_log') loop
    execute format('alter table %s alter column requests set statistics 0', day);
  end loop;
end $$;

-- expands: the rule is for orders whose customer was erased, which no release before it does.
alter table orders
  add column customer_erased_at timestamptz, -- null: the order has the customer that its partner sent
  -- An order without a customer has ended for good. Of the customer only the country is left.
  add constraint orders_customer_erased check (customer_erased_at is null or (
    status in ('shipped', 'cancelled') and note is null and cancel_reason is null
    and customer #- '{ship_to,country}' = '{"name": "", "ship_to": {"line1": "", "city": "", "postal_code": ""}}'));
-- The orders that have ended and still have a customer, by their end.
create index orders_with_customer on orders ((coalesce(shipped_at, cancelled_at)))
  where customer_erased_at is null and not is_open;

-- Orders whose customers were erased because somebody asked for it. They stay, so that whoever restores an older backup
-- can ask again. Besides them, for some minutes, erased orders whose traces in the log of requests are looked for.
create table customer_erasure (
  order_id   uuid primary key,
  erased_at  timestamptz not null,
  asked_by   text,                -- operator:<name>; null: nobody, its days were over
  request_id text,                -- of whoever asked
  log_due_at timestamptz,         -- when the log of requests is looked through once more; null: nothing is left to do
  check ((asked_by is null) = (request_id is null)),
  check (asked_by is not null or log_due_at is not null)
);
create index customer_erasure_log_due on customer_erasure (log_due_at) where log_due_at is not null;
