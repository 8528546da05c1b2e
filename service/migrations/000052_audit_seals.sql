-- The ends of past days of the audit log, sealed under the key ring; see docs/decisions/0081.
create table audit_seal (
  day     date primary key,                   -- in UTC; each day from that of the first row on
  seq     bigint not null,                    -- the last row of this day or of the days before it
  hash    bytea not null,                     -- of that row
  ring_id text not null,                      -- the entry of the key ring that sealed it
  sealed  bytea not null                      -- a digest of this and all earlier ends
);
create trigger audit_seal_is_append_only before update or delete or truncate on audit_seal
  for each statement execute function refuse_audit_change();

-- Requests with a token that has ended leave at most one row a minute.
create index audit_log_unauthorized on audit_log (credential, at) where code = 'unauthorized';
