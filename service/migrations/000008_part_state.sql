-- A part is where its hold's status says, as nearly always: then nothing is written on it when the hold ends. A state of its own
-- is the exception; see docs/decisions/0016.

create function part_state(hold_status text, own_state text) returns text language sql immutable parallel safe
return coalesce(own_state, case hold_status
  when 'active' then 'held'
  when 'expired' then 'freed'
  when 'released' then 'freed'
  when 'consumed' then 'consumed'
  when 'placed' then 'allocated'
  when 'reversed' then 'returned'
end);

alter table hold_part drop constraint hold_part_state_check;
alter table hold_part alter column state drop not null;
update hold_part p set state = null
  from hold h where h.reservation_token = p.reservation_token and p.state = part_state(h.status, null);
-- held: never of its own, only as long as its hold is active
alter table hold_part add constraint hold_part_state_check
  check (state in ('freed','displaced','allocated','consumed','returned','shipped'));
alter table hold_part reset (fillfactor); -- written once
