-- A sandbox for each partner that has a sandbox key: see docs/decisions/0096.

-- Every sandbox has the brand code SANDBOX. Pool 1 stays nobody's: it is the model, whose lots every partner's sandbox
-- is given, and holds made before this migration keep the lots that they have in it.
alter table pool
  drop constraint pool_brand_code_key,
  add column partner_id uuid unique references partner, -- whose sandbox it is; null: nobody's
  add constraint pool_sandbox check (partner_id is null or brand_code is not distinct from 'SANDBOX'),
  add unique (pool_id, partner_id);
create unique index pool_brand on pool (brand_code) where partner_id is null;

-- One row for each sandbox, and one for the model, whose restock renews the catalogue. There is no foreign key, because
-- a restore replaces the row of the model after that of its pool.
alter table sandbox_restock
  drop column one,
  add column pool_id integer primary key default 1;
alter table sandbox_restock alter column pool_id drop default;

alter table api_key drop constraint api_key_check; -- that every sandbox key is bound to pool 1

do $$
declare
  changed bigint;
begin
  insert into pool (brand_code, name, partner_id)
  select 'SANDBOX', 'Sandbox', partner_id from api_key where environment = 'sandbox'
   group by partner_id order by min(created_at), partner_id;
  if not found then
    return;
  end if;
  perform take_numbers('catalog_epoch', 1);
  changed := take_numbers('key_epoch', 1);
  update api_key k set pool_id = p.pool_id, version = changed
    from pool p where k.environment = 'sandbox' and p.partner_id = k.partner_id;
  -- a service stocks these before it serves
  insert into sandbox_restock (pool_id, restocked_on)
  select pool_id, '-infinity' from pool where partner_id is not null;
  -- so that lists by pool show the orders and boxes made before
  update orders o set pool_id = p.pool_id from pool p where o.environment = 'sandbox' and p.partner_id = o.partner_id;
  update shipment s set pool_id = p.pool_id
    from orders o join pool p on p.partner_id = o.partner_id
   where s.environment = 'sandbox' and o.order_id = s.order_ids[1];
end $$;

-- A sandbox key is bound to the sandbox of its own partner, and a live key never to the model.
alter table api_key
  add column sandbox_of uuid generated always as (case when environment = 'sandbox' then partner_id end) stored,
  add constraint api_key_sandbox_bound check (environment = 'live' or pool_id is not null),
  add constraint api_key_live_bound check (environment = 'sandbox' or pool_id is distinct from 1),
  add foreign key (pool_id, sandbox_of) references pool (pool_id, partner_id);

-- The lots of the model, which a restock reads, among those of all pools.
create index lot_of_model on lot (formula_id) where pool_id = 1;
