-- The log of partners' requests, written in batches away from the requests; see docs/decisions/0093. A row is a chunk:
-- the requests of one key, operation, status and code that a node wrote together, so that a request costs the server a
-- part of a row, and of the indexes' entries.
-- Live and sandbox chunks are kept for different times, each in partitions by day (UTC), which upkeep/traffic creates
-- when they are needed and drops whole. There are no foreign keys: a log of what was sent must take any row.
create table request_log (
  last_at   timestamptz not null, -- of the last request in it
  first_at  timestamptz not null, -- of the first; at most a minute earlier, and on the same day
  sandbox   boolean not null,     -- of a sandbox key; false also for a caller that is not known
  key_id    uuid,                 -- the key whose token was sent, also one that has ended; null: nobody's
  operation text not null,        -- none: an unknown path
  status    smallint not null,
  code      text,
  count     integer not null check (count > 0),
  requests  text not null         -- JSON: an array of objects, in the order of their times (upkeep/traffic/kept-request.ts)
) partition by list (sandbox);
create index request_log_by_time on request_log (last_at);
create index request_log_by_key on request_log (key_id, last_at) where key_id is not null;
create index request_log_by_code on request_log (code, last_at) where code is not null;

-- Its default compression would cost as much as the rest of the log. A server that was built without lz4 stores the
-- texts as they are.
do $$ begin
  execute 'alter table request_log alter column requests set compression lz4';
exception when feature_not_supported or invalid_parameter_value then
  execute 'alter table request_log alter column requests set storage external';
end $$;

create table request_log_live partition of request_log for values in (false) partition by range (last_at);
create table request_log_sandbox partition of request_log for values in (true) partition by range (last_at);
