-- What must be picked again is a fact of the order, whatever its status: a part of it may have left before a lot was recalled.
alter table orders add column pick_again boolean not null default false;
comment on column orders.pick_again is 'picked, or shipped in part, and changed or on hold since: nothing of it may leave before it is picked again';

-- Orders that were changed before this column was there. When, is not known; one that is picked once too often does no harm.
update orders o set pick_again = true
 where o.is_open
   and (o.picked_at is not null or exists (select from hold_part p where p.reservation_token = o.reservation_token and p.own_state = 'shipped'))
   and (o.status in ('placed', 'held')
        or (o.status = 'partially_shipped'
            and (o.was_held or exists (
              select from hold_part p where p.reservation_token = o.reservation_token and p.own_state = 'displaced'))));
