-- Units set aside. No foreign keys here on purpose: see docs/decisions/0004; `holdfast verify` proves what they would.

create table hold (
  reservation_token uuid primary key,
  key_id         uuid not null,
  partner_id     uuid not null,
  status         text not null check (status in ('active','expired','released','consumed','placed','reversed')),
  external_ref   text,
  consume_ref    text,
  lines          jsonb not null, -- the request as granted: [{sku, brand_code, qty, components: [{formula_id, per_kit}]}]
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  ended_at       timestamptz,
  consumed_units integer,        -- units
  returned_units integer,        -- units
  check ((status = 'active') = (ended_at is null)),
  check ((status in ('consumed', 'reversed')) = (consume_ref is not null))
) with (fillfactor = 80);
-- One active hold per key and reference.
create unique index hold_active_ref on hold (key_id, external_ref) where status = 'active';
create unique index hold_consume_ref on hold (key_id, consume_ref) where consume_ref is not null;
-- Past ones, for a reverse that names a reference nothing was consumed under.
create index hold_past_ref on hold (key_id, external_ref) where external_ref is not null and status <> 'active';
create index hold_due on hold (expires_at) where ended_at is null;

create table hold_part (
  reservation_token uuid not null,
  ordinal    integer not null,
  line       smallint not null,     -- which request line
  formula_id uuid not null,
  fg_id      uuid not null,
  pool_id    integer not null,
  units      integer not null check (units > 0),
  state      text not null check (state in ('held','freed','displaced','allocated','consumed','returned','shipped')),
  primary key (reservation_token, ordinal)
) with (fillfactor = 80); -- no other index, so that a change of state stays heap-only
