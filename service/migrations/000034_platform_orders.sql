-- Orders of other stores at the label platform become demand, and boxes of orders that are on hold stand still there: see
-- docs/decisions/0053.

-- When the platform was last asked to have the box stand still, because an order in it is on hold here. Null: it was not, or it was let go on.
alter table label_push add column stopped_at timestamptz;

-- Since when orders of other stores are followed. What had its label before counts as gone: it is not drawn down.
alter table box_sweep add column followed_from timestamptz not null default now();
-- the list is read once more from where a first sweep begins: open orders of other stores were passed over so far
update box_sweep set swept_to = least(swept_to, now() - interval '30 days');
