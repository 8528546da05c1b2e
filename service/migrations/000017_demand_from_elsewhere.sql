-- Demand that did not come through us: orders that the label platform reports, what they promise, and what was drawn down for
-- them. See docs/decisions/0036.

-- Who reported it, such as the name of a label platform; null: the operator entered it.
alter table demand add column source text;

-- Whose stock the orders of a store of the label platform are sold from.
create table demand_store (
  store      text primary key,                       -- as the label platform names it
  pool_id    integer not null references pool,       -- the brand's own stock, or the shared stock
  shared     boolean not null,                       -- is the shared stock drawn on after the brand's?
  created_at timestamptz not null default now()
);

-- An order as its platform last reported it. Written in the transaction that promises or draws down, under this row's lock.
create table reported_order (
  reference   text primary key,  -- <source>:<the platform's reference>, as in demand.reference and unit_move.cause_id
  source      text not null,
  store       text,              -- null: no report has named one
  store_at    timestamptz,       -- the platform's time of the open report that named it; null: a shipment did
  status      text not null check (status in ('open', 'cancelled')),
  modified_at timestamptz,       -- the platform's time of the report that status and ordered_qty are of; null: shipments alone
  shipped_at  timestamptz,       -- the platform's time of the last shipment; null: none
  pending     boolean not null,  -- is something of it promised, or waiting to be?
  noted_at    timestamptz not null default now()
);
create index reported_order_pending on reported_order (store) where pending;

create table reported_line (
  reference   text not null references reported_order,
  sku         text not null,
  -- kits
  ordered_qty integer not null check (ordered_qty >= 0), -- of the last report of the order; 0 when it was cancelled
  shipped_qty integer not null check (shipped_qty >= 0), -- of all shipments together; never less than before
  settled_qty integer not null check (settled_qty >= 0), -- of the shipped: drawn down, or noted as short or as resolved by hand
  primary key (reference, sku),
  constraint reported_line_settled check (settled_qty <= shipped_qty)
);

-- Units that were shipped without a hold: what the ledger's moves of cause draw_down add up to, by reference and lot.
create table draw_down (
  reference text not null,
  fg_id     uuid not null,
  units     integer not null check (units > 0),
  primary key (reference, fg_id)
);
create index draw_down_lot on draw_down (fg_id);

-- What could not be promised or drawn down, until the operator or a later report has settled it.
create table demand_exception (
  exception_id  bigint generated always as identity primary key,
  reference     text not null,
  kind          text not null check (kind in ('unknown_store', 'unknown_sku', 'no_recipe', 'shortage')),
  subject       text not null,  -- the store ('' when none was named), the SKU, or of a shortage formula and first pool, <formula_id>/<pool_id>
  promised_kits integer not null check (promised_kits >= 0), -- of the open order: they should be promised
  shipped_kits  integer not null check (shipped_kits >= 0),  -- they should be drawn down
  missing_units integer not null check (missing_units >= 0), -- of a shortage: they were shipped, and no lot has them
  formula_id    uuid,           -- of a shortage
  pool_ids      integer[],      -- of a shortage: where the units were looked for, in order
  created_at    timestamptz not null default now(),
  closed_at     timestamptz,
  closed_by     text,           -- operator:<name>, system:<source>
  outcome       text check (outcome in ('resolved', 'settled', 'drawn')), -- by hand; promised, drawn down or cancelled since; found later
  note          text,
  check ((closed_at is null) = (outcome is null)),
  check ((kind = 'shortage') = (formula_id is not null) and (kind = 'shortage') = (pool_ids is not null)),
  check (closed_at is not null or promised_kits + shipped_kits + missing_units > 0)
);
create unique index demand_exception_open on demand_exception (reference, kind, subject) where closed_at is null;
create index demand_exception_reference on demand_exception (reference);

-- Where in the warehouse the lot lies, as people there write it; the order of a pick list. Null: nobody has said.
alter table lot add column location text;
