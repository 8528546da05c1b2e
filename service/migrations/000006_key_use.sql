-- How many requests each node let through for each key since the node began: what nodes tell each other, so that they share a key's
-- budget. Unlogged: after a crash it is empty, and every node's count begins again.
create unlogged table key_use (
  node_id  uuid not null,
  key_id   uuid not null,
  requests bigint not null check (requests > 0),
  told_at  timestamptz not null,
  primary key (node_id, key_id)
) with (fillfactor = 50);
