-- Changes that the stream of changes (GET /live) finds neither in the numbers of a list nor in the ledger; see docs/decisions/0085.
-- The rows say only that something changed, and are deleted when some hundred thousand numbers are above them.
create table live_change (
  seq   bigint primary key default nextval('unit_move_seq_seq'), -- of the ledger's sequence: the versions of a lot and of a hold rise with both
  topic text not null check (topic in ('holds', 'lots', 'exceptions', 'deliveries', 'runs')),
  id    text not null
);

create function note_live_change() returns trigger language plpgsql as $$
begin
  case tg_table_name
    when 'lot' then insert into live_change (topic, id) values ('lots', new.fg_id);
    when 'hold_part' then insert into live_change (topic, id) values ('holds', new.reservation_token);
    when 'operator_run' then insert into live_change (topic, id) values ('runs', new.run_id);
    when 'demand_exception' then insert into live_change (topic, id) values ('exceptions', new.exception_id);
    when 'webhook_delivery' then insert into live_change (topic, id) values ('deliveries', new.delivery_id);
  end case;
  return null;
end $$;

-- Only for columns that no batch writes when it moves units: reserve, release, consume and their like fire none of these.
create trigger lot_noted after update of location, recalled_at on lot for each row
  when (old.location is distinct from new.location or old.recalled_at is distinct from new.recalled_at)
  execute function note_live_change();
create trigger hold_part_noted after update of own_state on hold_part for each row
  when (new.own_state = 'displaced' and old.own_state is distinct from new.own_state) execute function note_live_change();
create trigger operator_run_made after insert on operator_run for each row execute function note_live_change();
create trigger operator_run_noted after update of status, stop_asked, done, total on operator_run for each row
  when ((old.status, old.stop_asked, old.done, old.total) is distinct from (new.status, new.stop_asked, new.done, new.total))
  execute function note_live_change();
create trigger demand_exception_noted after insert or update on demand_exception for each row execute function note_live_change();
-- A delivery that came with its event has the number of the event, and needs no row here until it is attempted.
create trigger webhook_delivery_made after insert on webhook_delivery for each row
  when (new.listed_seq is not null) execute function note_live_change();
create trigger webhook_delivery_noted after update on webhook_delivery for each row
  when ((old.status, old.attempts, old.next_attempt_at) is distinct from (new.status, new.attempts, new.next_attempt_at))
  execute function note_live_change();
