-- Orders of the sandbox move on by themselves: see docs/decisions/0038.

alter table orders
  -- It was on hold at some time. The sandbox puts an order on hold once; whoever releases it lets it go on.
  add column was_held boolean not null default false,
  -- The sandbox itself is to pick or ship it. Never true of a live order, so that the index costs those nothing and their changes stay
  -- heap-only.
  add column is_advancing boolean generated always as
    (environment = 'sandbox' and status in ('placed', 'picked', 'partially_shipped')) stored;
create index orders_advancing on orders (placed_at) where is_advancing;

-- When a partner last asked for a restock; null: none has. The daily one is restocked_on.
alter table sandbox_restock add column asked_at timestamptz;
