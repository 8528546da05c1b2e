/*
 * Which rows does somebody keep locked? A statement takes the locks that are free, so it belongs into a transaction
 * that is rolled back at once, and waits for none. A row that a young transaction has locked is not kept: that is
 * another node's batch, which is over in a moment. A locked row names its locker in `xmax`; a locker that is not among
 * the young ones is an old transaction, several transactions together, or one that was prepared.
 */

/** Milliseconds for which a transaction is young: less than the engine's main lane waits for a lock. */
const YOUNG_FOR_MS = 200;

/** To stand in the `with` of such a statement: ids of young transactions. */
export const YOUNG = `young as materialized (
	   select backend_xid as xid from pg_stat_activity
	    where backend_xid is not null and xact_start > clock_timestamp() - interval '${YOUNG_FOR_MS} milliseconds')`;

/** Of a locked row: whoever locked it keeps it. */
export const KEPT = "xmax <> all(array(select xid from young))";
