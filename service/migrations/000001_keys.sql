-- Who may come in: partners, their pools, their keys and secrets.

-- A pool is a brand's own stock, or the shared stock (pool 0). A brand is what owns a pool.
create table pool (
  pool_id    integer primary key,
  brand_code text unique,
  name       text not null,
  created_at timestamptz not null default now(),
  check ((pool_id = 0) = (brand_code is null))
);
create sequence pool_id_seq as integer start 2 owned by pool.pool_id;
alter table pool alter column pool_id set default nextval('pool_id_seq');
insert into pool (pool_id, brand_code, name) values (0, null, 'Shared stock'), (1, 'SANDBOX', 'Sandbox');

create table partner (
  partner_id uuid primary key,
  name       text not null unique,
  created_at timestamptz not null default now()
);

-- One row whose lock orders every change of a key: each changed key takes the next version, so a node that
-- has seen version n misses nothing by asking for versions above n.
create table key_epoch (
  one     boolean primary key default true check (one),
  version bigint not null
);
insert into key_epoch values (true, 0);

create table api_key (
  key_id              uuid primary key,
  pk                  text not null unique,
  partner_id          uuid not null references partner,
  name                text not null,
  environment         text not null check (environment in ('live', 'sandbox')),
  pool_id             integer references pool check (pool_id <> 0), -- the brand it is bound to
  shared_pool         boolean not null,
  scopes              text[] not null check (cardinality(scopes) > 0),
  requests_per_minute integer not null check (requests_per_minute between 1 and 1000000),
  max_held_units      integer check (max_held_units > 0),            -- units; null: no cap
  suspended           boolean not null default false,
  created_at          timestamptz not null default now(),
  expires_at          timestamptz,
  revoke_at           timestamptz,                                   -- in force from this moment on
  version             bigint not null,
  unique (partner_id, name),
  check ((environment = 'sandbox') = (pool_id is not distinct from 1)),
  check (environment = 'live' or not shared_pool)
);
create index api_key_version on api_key (version);

create table key_secret (
  secret_id  uuid primary key,
  key_id     uuid not null references api_key,
  digest     bytea not null check (octet_length(digest) = 32), -- HMAC-SHA-256 of the sk_ half
  pepper_id  text not null,                                    -- which key of the ring
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index key_secret_key on key_secret (key_id);
