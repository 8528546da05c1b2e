-- What is sold: formulas, products, SKUs and their recipes.

-- One row whose lock orders every change of the catalogue: changed rows take numbers above the last, in commit order.
create table catalog_epoch (
  one     boolean primary key default true check (one),
  version bigint not null
);
insert into catalog_epoch values (true, 0);

create table formula (
  formula_id uuid primary key,
  code       text not null unique,
  name       text not null,
  status     text not null check (status in ('draft', 'active', 'archived')),
  version    bigint not null
);
create index formula_version on formula (version);

create table product (
  slug text primary key,
  name text not null
);

create table sku (
  sku         text primary key,
  name        text not null,
  slug        text references product,
  kind        text not null check (kind in ('single', 'kit', 'non_physical')),
  vial_size   text,
  test_behaviour text check (test_behaviour in ('retry', 'held')), -- sandbox SKUs that act out a condition
  updated_at  timestamptz not null,
  version     bigint not null unique, -- its place in the order of catalogue changes; the cursor of GET /products
  check (test_behaviour is null or sku like 'SBX-%')
);

create table sku_component (
  sku        text not null references sku,
  position   smallint not null,
  formula_id uuid not null references formula,
  per_kit    integer not null check (per_kit between 1 and 10000), -- units of the formula in one kit
  primary key (sku, position),
  unique (sku, formula_id)
);
create index sku_component_formula on sku_component (formula_id);
