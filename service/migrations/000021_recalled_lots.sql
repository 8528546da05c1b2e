-- A lot that was recalled: none of its units may be promised, however they come back to it. See docs/decisions/0037.

alter table lot add column recalled_at timestamptz;
alter table lot add constraint lot_recalled_has_none_free check (recalled_at is null or available = 0);
comment on column lot.recalled_at is 'since when; null: it is not recalled';
