-- The newest of the past holds under a reference, for whoever reads it back; the one before it answered only whether there is any.
-- By the database's clock, not by the token: tokens are made by the clocks of several nodes. Tokens tell holds of one batch apart.
-- See docs/decisions/0034.
--
-- It takes the place of an index of as many entries, so that ending a hold costs what it cost before.

-- at once the lock that the drop below needs: a batch that holds a lock between the two would wait for us, and we for it
lock table hold in access exclusive mode;

create index hold_past_ref_newest on hold (key_id, external_ref, created_at, reservation_token)
  where external_ref is not null and status <> 'active';
drop index hold_past_ref;
