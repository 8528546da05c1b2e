-- Who shipped a box: key:<pk>, operator:<name>, system:<what>, as in the ledger. A box that came with many others has
-- no row of its own in the audit log. Null: it did not leave, or left before this column was there.
alter table shipment add column shipped_by text check (shipped_by is null or shipped_at is not null);
