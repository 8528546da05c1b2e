-- How far `holdfast verify` has proved the ledger, so that a later run can go on from there; see docs/decisions/0110.

-- One row for each run that found no difference, in the order of the runs.
create table ledger_seal (
  seal         bigint primary key check (seal > 0), -- from 1 on, without gaps
  made_at      timestamptz not null,                -- the moment that the run checked
  is_whole     boolean not null,                    -- the run read every row
  moves_upto   bigint not null,                     -- the run proved the moves up to this number; history_digest covers them
  events_upto  bigint not null,                     -- the same of events
  changes_upto bigint not null,                     -- the last number of the list of boxes that the run saw
  certificates_upto bigint not null,                -- the same of the list of certificates
  digest       bytea not null                       -- SHA-256 of this row, the digests of history since the seal before, and the digest of that seal
);

-- The moves up to the last seal, added up: units that came into a bucket of a lot, less those that left it.
create table lot_seal (
  fg_id  uuid not null,
  bucket text not null,
  units  bigint not null,
  seal   bigint not null,  -- the seal that added to it last
  primary key (fg_id, bucket)
);

-- The same by hold, in units, as long as a further move of the hold is likely: it is active, it has an open order, or it
-- moved in the last weeks and not all of its units were freed.
create table hold_seal (
  reservation_token uuid primary key,
  reserved bigint not null,
  consumed bigint not null,
  reversed bigint not null,
  freed    bigint not null,  -- released, expired or cancelled
  placed   bigint not null,
  shipped  bigint not null,  -- less what was voided
  last_at  timestamptz not null
);
create index hold_seal_last on hold_seal (last_at);
