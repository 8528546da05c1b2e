-- When the label of a waiting box was voided. Such a box is still packed (docs/decisions/0104), so its orders must be
-- picked again if their lots change. Null: no label was voided, or one was before this column existed.
alter table shipment add column label_voided_at timestamptz;
