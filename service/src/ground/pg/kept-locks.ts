/*
 * Finds rows that another transaction keeps locked. The statement itself locks the free rows, so it runs in a
 * transaction that is rolled back at once, and it never waits. A row locked by a young transaction does not count: that
 * is another node's batch, which ends in a moment. A locked row names its locker in `xmax`; a locker that is not a
 * young transaction is an old transaction, several transactions together, or a prepared one.
 */

/** Milliseconds for which a transaction counts as young: less than the engine's main lane waits for a lock. */
const YOUNG_FOR_MS = 200;

/** Ids of young transactions; belongs in the `with` of such a statement. */
export const YOUNG = `young as materialized (
	   select backend_xid as xid from pg_stat_activity
	    where backend_xid is not null and xact_start > clock_timestamp() - interval '${YOUNG_FOR_MS} milliseconds')`;

/** For a locked row: is its locker not a young transaction? */
export const KEPT = "xmax <> all(array(select xid from young))";
