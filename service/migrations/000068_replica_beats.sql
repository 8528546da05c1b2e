-- Reads of a replica are judged by what their own snapshot shows: see docs/decisions/0102.

-- A node that reads from a replica writes its row on the primary every second. A snapshot that shows a beat shows
-- everything that had committed before the beat was written.
create table replica_beat (
  node_id  uuid primary key, -- of the node's process
  number   bigint not null, -- the latest beat of all nodes has the highest one
  stamp    uuid not null, -- random, and new with every beat
  at       timestamptz not null, -- the primary's clock when the beat began
  timeline integer not null, -- of the primary's WAL
  lists    jsonb not null -- by the name of its epoch, for each list: the last number, and the moment of a page (ms)
) with (fillfactor = 20); -- so that a beat stays on its page
