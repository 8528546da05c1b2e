-- Holds that the manufacturer ships: orders, the boxes that they travel in, and what partners are told of both.

-- Placing, shipping and every other change of a box takes the next number, as the last lock of its transaction; see docs/decisions/0029.
create table shipment_epoch (like key_epoch including all);
insert into shipment_epoch values (true, 0);
create table event_epoch (like key_epoch including all);
insert into event_epoch values (true, 0);

-- No foreign keys here, for the reason given in docs/decisions/0004; `holdfast verify` proves what they would.
create table orders (
  order_id          uuid primary key,
  key_id            uuid not null,
  partner_id        uuid not null,
  environment       text not null check (environment in ('live', 'sandbox')),
  ref               text not null,        -- the Idempotency-Key
  external_order_id text,
  reservation_token uuid not null unique, -- of the hold whose units it has
  pool_id           integer not null,     -- of the brand of all its lines; 0: they have none in common
  status            text not null check (status in ('placed', 'held', 'picked', 'partially_shipped', 'shipped', 'cancelled')),
  version           integer not null check (version > 0), -- of this order, from 1
  hold_reason       text check (hold_reason in ('address_invalid', 'out_of_stock', 'lot_recalled', 'label_error', 'operator', 'other')),
  hold_detail       text,
  cancel_reason     text,                 -- in words, for the operator
  customer          jsonb not null,       -- as the partner sent it
  service_level     text not null check (service_level in ('standard', 'expedited', 'overnight')),
  note              text,
  shipment_ids      uuid[] not null,      -- the boxes it is or was in, in the order in which it came to them
  placed_at         timestamptz not null,
  held_at           timestamptz,
  picked_at         timestamptz,
  shipped_at        timestamptz,          -- the last of it
  cancelled_at      timestamptz,
  updated_at        timestamptz not null,
  -- Something is still to be done. Kept as a column so that most changes of the status touch no indexed value and stay heap-only.
  is_open           boolean generated always as (status in ('placed', 'held', 'picked', 'partially_shipped')) stored,
  check ((status = 'held') = (hold_reason is not null)),
  check (hold_detail is null or hold_reason is not null),
  check ((status = 'held') = (held_at is not null)),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check ((status = 'shipped') = (shipped_at is not null)),
  constraint orders_ref unique (key_id, ref)
) with (fillfactor = 70);
create index orders_open on orders (order_id) where is_open;

-- A box: the entry of an order in the queue for labels, then what was shipped.
create table shipment (
  shipment_id      uuid primary key,
  pool_id          integer not null, -- that of its orders
  environment      text not null check (environment in ('live', 'sandbox')),
  status           text not null check (status in ('awaiting_shipment', 'on_hold', 'label_created', 'shipped', 'voided', 'cancelled')),
  order_ids        uuid[] not null check (cardinality(order_ids) > 0), -- of one key; the first says where it goes
  carrier_code     text,
  service_code     text,
  tracking_number  text,
  -- What is, or was, in it: [{order_id, sku, qty, lots: [{formula_id, batch_number, units}]}]. Null as long as it is to have whatever
  -- its orders have left.
  items            jsonb,
  created_at       timestamptz not null,
  label_created_at timestamptz,
  shipped_at       timestamptz,
  voided_at        timestamptz,
  modified_at      timestamptz not null,
  version          integer not null check (version > 0), -- of this box, from 1
  modified_seq     bigint not null unique,               -- its place in the order of all changes; the cursor of GET /shipments
  check (status not in ('shipped', 'voided') or items is not null),
  check (status <> 'shipped' or shipped_at is not null),
  check ((status = 'voided') = (voided_at is not null))
) with (fillfactor = 70);
create index shipment_of_pool on shipment (pool_id, modified_seq);
create index shipment_changed_at on shipment (pool_id, modified_at);
create index shipment_unshipped on shipment (pool_id, status, modified_seq) where status <> 'shipped';

-- What partners are told, with the exact bytes of the body. Written in the transaction that it tells of; sending is another matter.
create table event (
  event_id    text primary key,      -- follows from the order and its version, so that nothing is told twice
  seq         bigint not null unique, -- its place in the order of all events
  partner_id  uuid not null,
  environment text not null check (environment in ('live', 'sandbox')),
  type        text not null check (type in ('order.shipped', 'order.held', 'webhook.test')),
  order_id    uuid,                   -- null: it is about none
  created_at  timestamptz not null,
  body        text not null
);
