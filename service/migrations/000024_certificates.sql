-- Certificates of analysis: one for a product and a batch number. See docs/decisions/0041.

-- Orders all changes of certificates (docs/decisions/0029), and is the lock under which they are changed one after the other. Its stamp
-- changes with every number taken: pages of the feed are kept in memory as long as it is the same (docs/decisions/0022).
create table certificate_epoch (like key_epoch including all);
create trigger certificate_epoch_stamped before update on certificate_epoch for each row execute function stamp_epoch();
insert into certificate_epoch (one, version) values (true, 0);

create table certificate (
  certificate_id uuid primary key,
  product_slug   text not null references product,
  product_name   text not null,                -- as it was when the certificate last changed
  batch_number   text not null,                -- may be that of lots of several formulas and pools: see certificate_lot
  environment    text not null generated always as (case when starts_with(product_slug, 'sbx-') then 'sandbox' else 'live' end) stored,
  vial_size      text,
  tested_on      date,
  lab_name       text,
  purity_pct     numeric(5, 2) check (purity_pct between 0 and 100), -- per cent
  status         text not null check (status in ('draft', 'current', 'archived', 'retired')),
  file_digest    bytea not null check (octet_length(file_digest) = 32), -- SHA-256 of its PDF
  published_at   timestamptz,                  -- when it last became current
  retired_at     timestamptz,
  retire_reason  text,
  reissued       boolean not null default false, -- retired, and another was made for the product and batch since: no list shows it
  changed_by     text not null,                -- operator:<name> or system:<what>
  updated_at     timestamptz not null,         -- whole milliseconds; never before that of an earlier change
  version        bigint unique,                -- its place in the order of changes; null: a draft, which no list shows
  check ((status = 'draft') = (version is null)),
  check ((status = 'retired') = (retired_at is not null)),
  check (status <> 'current' or published_at is not null),
  check (not reissued or status = 'retired')
);
create unique index certificate_live on certificate (product_slug, batch_number) where status <> 'retired';
create index certificate_batch on certificate (batch_number);
-- the feed: all of an environment, of one status, of one product, and where changes since a time begin
create index certificate_listed on certificate (environment, version) where version is not null and not reissued;
create index certificate_by_status on certificate (environment, status, version) where version is not null and not reissued;
create index certificate_by_product on certificate (product_slug, version) where version is not null and not reissued;
create index certificate_updated on certificate (updated_at, version) where version is not null;
create index certificate_current on certificate (product_slug, published_at desc, certificate_id) where status = 'current';

-- Every PDF that a certificate ever had. The bytes are in the file store, by their digest.
create table certificate_file (
  certificate_id uuid not null references certificate,
  digest         bytea not null check (octet_length(digest) = 32),
  size           integer not null check (size > 0), -- bytes
  added_at       timestamptz not null default now(),
  primary key (certificate_id, digest)
);

create index sku_slug on sku (slug);

-- The lots that a certificate speaks of: of its batch number, of the formulas that its product's SKUs are made of, in every pool.
create view certificate_lot as
select distinct c.certificate_id, l.fg_id
  from certificate c
  join sku s on s.slug = c.product_slug
  join sku_component k on k.sku = s.sku
  join lot l on l.formula_id = k.formula_id and l.batch_number = c.batch_number;

-- The time of a change, asked for under the lock of the epoch: by it changes are in the order of their numbers, whatever the clock does.
create function certificate_now() returns timestamptz language sql volatile as $$
  select date_trunc('milliseconds', greatest(clock_timestamp(), (select max(updated_at) from certificate where version is not null)))
$$;
