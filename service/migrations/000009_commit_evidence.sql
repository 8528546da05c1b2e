-- What became of a transaction whose COMMIT was not answered: each connection that writes owns one row, and every transaction of it
-- begins by setting `attempt` to its own number. The number stands in the row if, and only if, the transaction committed;
-- see docs/decisions/0018.
create table commit_evidence (
  writer_id  uuid primary key,                                -- of one connection of one process
  attempt    bigint not null,                                 -- the last transaction of that connection that committed
  written_at timestamptz not null default clock_timestamp()   -- rows of connections long gone are removed by it
) with (fillfactor = 25); -- one row is written again and again: room for heap-only updates
