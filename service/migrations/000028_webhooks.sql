-- Where partners are told of their orders, and how that went; see docs/decisions/0045 and 0046. What they are told stands in event.

-- The numbers of the list of endpoints; see docs/decisions/0029.
create table webhook_endpoint_epoch (like key_epoch including all);
insert into webhook_endpoint_epoch values (true, 0);

create table webhook_endpoint (
  endpoint_id     uuid primary key,
  partner_id      uuid not null references partner,
  environment     text not null check (environment in ('live', 'sandbox')),
  url             text not null,
  event_types     text[] not null check (cardinality(event_types) > 0),
  description     text,
  status          text not null check (status in ('active', 'inactive')),
  inactive_reason text check (inactive_reason in ('partner', 'operator', 'gone', 'failing')),
  api_date        text not null,          -- of the bodies that it is sent
  version         bigint not null unique, -- its place in the list
  failing_since   timestamptz,            -- the first failed attempt after the last success; null: the last attempt succeeded, or there was none
  warned_at       timestamptz,            -- when the operator was told that it fails; null: not of these failures
  sender          uuid,                   -- who sends to it; nobody else does until sending_until
  sending_until   timestamptz,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  deleted_at      timestamptz,            -- it is kept for its deliveries only
  check ((status = 'inactive') = (inactive_reason is not null)),
  check ((sender is null) = (sending_until is null)),
  check (deleted_at is null or status = 'inactive')
) with (fillfactor = 50);
create index webhook_endpoint_owner on webhook_endpoint (partner_id, environment) where deleted_at is null;

-- Secrets of endpoints, encrypted under an entry of the key ring (AES-256-GCM).
create table webhook_secret (
  secret_id   uuid primary key,
  endpoint_id uuid not null references webhook_endpoint,
  ring_id     text not null,          -- which entry of the ring
  sealed      bytea not null,         -- nonce, tag, ciphertext
  created_at  timestamptz not null default now(),
  expires_at  timestamptz             -- null: it is the current one
);
create index webhook_secret_endpoint on webhook_secret (endpoint_id);

-- One event for one endpoint. No foreign keys: it is written with the event, on the way of orders (docs/decisions/0004).
create table webhook_delivery (
  delivery_id     uuid not null default gen_random_uuid() unique,
  endpoint_id     uuid not null,
  seq             bigint not null,        -- of the event
  event_id        text not null,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted', 'dropped')),
  failures        integer not null default 0 check (failures >= 0), -- in a row; it begins anew when the delivery does
  next_attempt_at timestamptz default now(),
  attempts        jsonb not null default '[]', -- [{at, duration_ms, status, error, response_excerpt}], the last ones
  created_at      timestamptz not null default now(),
  settled_at      timestamptz,
  primary key (endpoint_id, seq),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (settled_at is null))
) with (fillfactor = 80);
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_delivery_undelivered on webhook_delivery (seq) where status = 'pending';

-- After the time that events are kept only the fact remains that it was told; see docs/decisions/0046.
alter table event add column pruned_at timestamptz;
create index event_unpruned on event (seq) where pruned_at is null;
