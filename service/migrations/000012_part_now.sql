-- Every part with the state it is in, whether its hold says it or the part itself. Reports, proofs and tests read parts here, so
-- that they need not know where a state is written. Batches do not: they read part and hold apart, under their own locks.

create view part_now as
select p.reservation_token, p.ordinal, p.line, p.formula_id, p.fg_id, p.pool_id, p.units,
       part_state(h.status, p.own_state) as state, h.status as hold_status, h.key_id, h.expires_at
  from hold_part p join hold h using (reservation_token);
comment on column part_now.units is 'units, not kits';
