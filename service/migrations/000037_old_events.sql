-- Old events are looked for by their age, every minute: a look that finds none reads none.
drop index event_unpruned;
create index event_unpruned on event (created_at) where pruned_at is null;
