-- How many: lots, the ledger of unit moves, promised demand.

create table lot (
  fg_id        uuid primary key,
  formula_id   uuid not null references formula,
  pool_id      integer not null references pool,
  batch_number text not null,
  expires_on   date,
  received_on  date not null,
  -- units; received and corrected are what came in, the others are where it is now
  received     integer not null check (received >= 0),
  corrected    integer not null,
  available    integer not null check (available >= 0),
  held         integer not null check (held >= 0),
  allocated    integer not null check (allocated >= 0),
  consumed     integer not null check (consumed >= 0),
  shipped      integer not null check (shipped >= 0),
  quarantined  integer not null check (quarantined >= 0),
  destroyed    integer not null check (destroyed >= 0),
  -- Nothing physically here. Kept as a column so that ordinary moves touch no indexed value and stay heap-only.
  depleted     boolean generated always as (available + held + allocated + quarantined = 0) stored,
  created_at   timestamptz not null default now(),
  unique (formula_id, pool_id, batch_number),
  constraint lot_conserves_units check (
    received + corrected = available + held + allocated + consumed + shipped + quarantined + destroyed)
) with (fillfactor = 50);
create index lot_present on lot (formula_id, pool_id) where not depleted;

-- Append-only double-entry: every unit that moves leaves one row. `received` and `corrected` are the outside world.
create table unit_move (
  seq         bigint generated always as identity,
  at          timestamptz not null,
  fg_id       uuid not null,
  from_bucket text not null,
  to_bucket   text not null,
  units       integer not null check (units > 0),
  cause       text not null,  -- the command: receive, reserve, release, ...
  cause_id    text,           -- what it was about: a reservation token, a reference, a reason
  actor       text not null,  -- key:<pk>, operator:<name>, system:<what>
  request_id  text,
  primary key (fg_id, seq),
  constraint unit_move_buckets check (
    from_bucket in ('received','corrected','available','held','allocated','consumed','shipped','quarantined','destroyed') and
    to_bucket in ('corrected','available','held','allocated','consumed','shipped','quarantined','destroyed') and
    from_bucket <> to_bucket)
);

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'unit_move is append-only: write a counter-move instead' using errcode = 'integrity_constraint_violation';
end $$;
create trigger unit_move_append_only before update or delete or truncate on unit_move
  for each statement execute function refuse_ledger_change();

-- Promised: accepted demand with no units bound to it yet, and the operator's safety buffer. Units.
create table demand (
  formula_id uuid not null references formula,
  pool_id    integer not null references pool,
  reference  text not null,
  units      integer not null check (units > 0),
  created_at timestamptz not null default now(),
  primary key (formula_id, pool_id, reference)
);
create table safety_buffer (
  formula_id uuid not null references formula,
  pool_id    integer not null references pool,
  units      integer not null check (units > 0),
  primary key (formula_id, pool_id)
);

-- One row, changed by every change of promised demand: whoever keeps it in memory sees in one read whether it is still true.
create table demand_epoch (
  one     boolean primary key default true check (one),
  version bigint not null
);
insert into demand_epoch values (true, 0);
create function note_demand_change() returns trigger language plpgsql as $$
begin
  update demand_epoch set version = version + 1;
  return null;
end $$;
create trigger demand_changed after insert or update or delete or truncate on demand
  for each statement execute function note_demand_change();
create trigger safety_buffer_changed after insert or update or delete or truncate on safety_buffer
  for each statement execute function note_demand_change();
