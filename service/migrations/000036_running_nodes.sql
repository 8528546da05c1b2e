-- The nodes that serve on this database, each with the settings that all nodes and all commands must have alike: see
-- docs/decisions/0057. A node that was stopped stays until another one starts: its settings are those the service ran with last.
create table running_node (
  node_id    uuid primary key,
  started_at timestamptz not null,
  seen_at    timestamptz,           -- when it last said that it runs; null: it was stopped
  settings   jsonb not null         -- the value of each setting, by its variable; no secret is among them
);
