-- The mirror of prepaid units: what a console outside says a brand has paid for already. It informs and changes no count; see
-- settlements, section 7.
create table prepaid_mirror (
  pool_id     integer primary key references pool check (pool_id <> 0), -- the brand's
  sequence    bigint not null check (sequence >= 0), -- the console's own count of its pushes: an older one changes nothing
  as_of       timestamptz not null,                  -- when it was so, as the console says
  mirrored_at timestamptz not null                   -- when it was written here
);

create table prepaid_item (
  pool_id       integer not null references prepaid_mirror,
  formula_id    uuid not null references formula,
  sku           text,                                     -- the SKU that the console named the formula by; null: it named the formula
  prepaid_units integer not null check (prepaid_units >= 0), -- units
  used_units    integer check (used_units >= 0),          -- units; null: the console does not say
  unique nulls not distinct (pool_id, formula_id, sku)
);
