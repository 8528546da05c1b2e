-- The hold that a recall, a quarantine or a destruction took units from: the row's cause_id is the operator's reason,
-- so it named no hold. Null: another move, or one that was written before this column was there. No foreign key: the
-- ledger refers to nothing.
alter table unit_move add column reservation_token uuid;
