-- Operators: the tokens of their scripts, the audit log of what they did, and the replies that a repeat gets again;
-- see docs/decisions/0081.

create table operator_token (
  token_id   uuid primary key,
  op         text not null unique,            -- the public half, op_hf_…
  name       text not null unique check (length(name) between 1 and 100), -- `operator:token/<name>` in ledger and audit log
  role       text not null check (role in ('viewer', 'warehouse', 'operator', 'admin')),
  digest     bytea not null,                  -- of the secret half, under the pepper
  pepper_id  text not null,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz
);

-- One row for each write of an operator that was carried out or refused. Each row has the hash of the row before it.
create table audit_log (
  seq        bigint primary key,              -- 1, 2, 3, … in the order of the commits, without gaps
  at         timestamptz not null,
  actor      text not null,                   -- operator:<name>
  via        text not null check (via in ('token', 'socket')),
  credential text,                            -- the public half of the token; null: the socket
  address    text not null,                   -- '' for the socket
  operation  text not null,
  about      text,                            -- the thing that was written, by its own name
  body       jsonb,                           -- as it was sent, secrets masked; null: it was never read
  status     integer not null,
  code       text,                            -- of a refusal
  request_id text not null,
  previous   bytea not null,
  hash       bytea not null
);

-- The last row's number and hash. Whoever appends locks it, so rows commit in the order of their numbers.
create table audit_head (
  one  boolean primary key default true check (one),
  seq  bigint not null,
  hash bytea not null
);
insert into audit_head (seq, hash) values (0, sha256('holdfast audit log'));

-- The hash of a row, in the same form on every server: everything in it but the hash itself.
create function audit_hash(entry audit_log) returns bytea language sql stable parallel safe
return sha256(entry.previous || convert_to(jsonb_build_array(
  entry.seq, (extract(epoch from entry.at) * 1000000)::bigint, entry.actor, entry.via, entry.credential, entry.address,
  entry.operation, entry.about, entry.body, entry.status, entry.code, entry.request_id)::text, 'UTF8'));

-- Appends one row and returns its number. Its columns but seq, at, previous and hash come as an object.
create function audit_append(given jsonb) returns bigint language plpgsql as $$
declare
  head audit_head;
  entry audit_log;
begin
  update audit_head set seq = seq + 1 returning * into strict head;
  entry := jsonb_populate_record(null::audit_log, given);
  entry.seq := head.seq;
  entry.at := clock_timestamp();
  entry.previous := head.hash;
  entry.hash := audit_hash(entry);
  insert into audit_log select entry.*;
  update audit_head set hash = entry.hash;
  return entry.seq;
end $$;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();

-- Replies to writes with an Idempotency-Key, kept for 24 hours. They may hold a secret that is shown once: sealed.
create table operator_reply (
  actor   text not null,
  key     text not null,
  digest  bytea not null,                     -- SHA-256 of operation, path and body
  reply   bytea,                              -- null only until the write commits
  ring_id text,                               -- the entry of the key ring that sealed it
  at      timestamptz not null default clock_timestamp(),
  primary key (actor, key)
);
create index operator_reply_by_age on operator_reply (at);
