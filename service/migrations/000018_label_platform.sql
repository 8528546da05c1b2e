-- What the label platform was told of orders, and what it told of boxes; see docs/decisions/0035. Only orders that a platform is to be
-- told of have rows here; with the built-in queue there are none.

-- One row for each order. `wanted`: to be handed over, not begun. `under_way`: a push was begun and may or may not have arrived.
-- `taken`: the platform has it. `address_refused`, `refused`: it did not accept it. `withdrawn`: not to be handed over any more.
create table label_push (
  order_id    uuid primary key,
  generation  integer not null default 1 check (generation between 1 and 999999),
  state       text not null check (state in ('wanted', 'under_way', 'taken', 'address_refused', 'refused', 'withdrawn')),
  platform_id text, -- the box at the platform in which the order lies
  detail      text, -- the platform's words, for the operator
  wanted_at   timestamptz not null default now(),
  changed_at  timestamptz not null default now(),
  check (state <> 'taken' or platform_id is not null)
);
create index label_push_box on label_push (platform_id) where platform_id is not null;
create index label_push_open on label_push (wanted_at) where state in ('wanted', 'under_way');

-- One row for each box of the platform in which orders of ours lie or lay: what was last carried over from it.
create table platform_box (
  platform_id text primary key,
  modified_at timestamptz not null, -- the platform's clock
  stage       text not null check (stage in ('awaiting', 'on_hold', 'label_created', 'shipped', 'voided', 'cancelled')),
  digest      text not null, -- of the box as it was carried over; empty: nothing was yet
  refusal     text, -- why the service did not accept what the platform said; null: it did
  looked_at   timestamptz not null default now(),
  look_at     timestamptz -- when it is looked at though nobody says that it changed; null: never
);
create index platform_box_due on platform_box (look_at) where look_at is not null;

-- Up to where the list of changes was read, by the platform's clock. A sweep begins some minutes before.
create table box_sweep (
  platform text primary key,
  swept_to timestamptz not null
);
