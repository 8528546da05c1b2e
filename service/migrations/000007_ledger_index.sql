-- The ledger is written far more often than it is asked about one lot. A B-tree by lot is descended at a random place for every
-- row and was more than half of the cost of writing one; see docs/decisions/0015.

-- both tables that this migration and the next change, in the order in which batches come to them
lock table hold_part, unit_move in access exclusive mode;

alter table unit_move drop constraint unit_move_pkey;
alter table unit_move add primary key (seq);
create index unit_move_lot on unit_move using brin (fg_id uuid_bloom_ops (n_distinct_per_range = -0.25)) with (pages_per_range = 16);
-- rows that vacuum has not seen are in no summary of that index: here it comes by the number of them, not by their share
alter table unit_move set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000);
