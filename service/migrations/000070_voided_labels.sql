-- When the label of a box that waits was voided: the box was packed, and is still (docs/decisions/0104). If its orders get
-- other lots, they are picked again. Null: it was not, or before this column was there.
alter table shipment add column label_voided_at timestamptz;
