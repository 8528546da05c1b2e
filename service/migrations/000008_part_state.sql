-- A part is where its hold's status says, as nearly always: then nothing is written on it when the hold ends. A state of its own
-- is the exception; see docs/decisions/0016.
--
-- A node of the version before fails on every hold from here on, instead of misreading: stop all nodes first.

create function part_state(hold_status text, own_state text) returns text language sql immutable parallel safe
return coalesce(own_state, case hold_status
  when 'active' then 'held'
  when 'expired' then 'freed'
  when 'released' then 'freed'
  when 'consumed' then 'consumed'
  when 'placed' then 'allocated'
  when 'reversed' then 'returned'
end);

do $$
declare wrong uuid;
begin
  select p.reservation_token into wrong from hold_part p left join hold h using (reservation_token)
   where p.state = 'held' and h.status is distinct from 'active' limit 1;
  if found then
    raise exception 'a part of hold % is held and the hold is not active: run "holdfast verify" with the version before', wrong;
  end if;
end $$;

-- held is no state of its own: what is held is held as long as its hold is active
alter table hold_part add column own_state text
  check (own_state in ('freed','displaced','allocated','consumed','returned','shipped'));
update hold_part p set own_state = p.state
  from hold h where h.reservation_token = p.reservation_token and p.state <> part_state(h.status, null);
alter table hold_part drop column state;
alter table hold_part reset (fillfactor); -- written once
