import { prepared } from "../pg/query.ts";
import { NAMED_HOLDS, NEEDED_LOTS } from "./sql.ts";

/*
 * Which rows that a batch needs does somebody keep locked? Each statement takes the locks that are free, so it belongs into a
 * transaction that is rolled back at once, and waits for none. A row that a young transaction has locked is not kept: that is
 * another node's batch, which is over in a moment. A locked row names its locker in `xmax`; a locker that is not among the young
 * ones is an old transaction, several transactions together, or one that was prepared.
 */

/** Milliseconds for which a transaction is young: less than the main lane waits for a lock. */
const YOUNG_FOR_MS = 200;
/** Ids of young transactions. */
const YOUNG = `young as materialized (
	   select backend_xid as xid from pg_stat_activity
	    where backend_xid is not null and xact_start > clock_timestamp() - interval '${YOUNG_FOR_MS} milliseconds')`;
const KEPT = "xmax <> all(array(select xid from young))";

/** Lots of the batch that somebody keeps locked. Parameters: those of NEEDED_LOTS. */
export const selectBlockedLots = prepared<[fgId: string, formulaId: string, poolId: number]>(
	"select_blocked_lots",
	`with ${YOUNG},
	      needed as materialized (select distinct fg_id from (${NEEDED_LOTS}) n(fg_id)),
	      free as materialized (
	        select l.fg_id from lot l where l.fg_id = any(array(select fg_id from needed)) for update skip locked)
	 select l.fg_id, l.formula_id, l.pool_id from lot l
	  where l.fg_id = any(array(select fg_id from needed)) and l.fg_id <> all(array(select fg_id from free)) and l.${KEPT}`,
);

/** Holds of the batch that somebody keeps locked. Parameters: those of NAMED_HOLDS. */
export const selectBlockedHolds = prepared<
	[token: string, keyId: string, externalRef: string | null, consumeRef: string | null]
>(
	"select_blocked_holds",
	`with ${YOUNG}, free as materialized (
	   select reservation_token from hold where reservation_token = ${NAMED_HOLDS} for update skip locked)
	 select reservation_token, key_id, external_ref, consume_ref from hold
	  where reservation_token = ${NAMED_HOLDS} and reservation_token <> all(array(select reservation_token from free))
	    and ${KEPT}`,
);

/** Which of these holds have parts on these lots. */
export const selectTokensOnLots = prepared<[token: string, keyId: string, consumeRef: string | null]>(
	"select_tokens_on_lots",
	`select h.reservation_token, h.key_id, h.consume_ref from hold h
	  where h.reservation_token = ${NAMED_HOLDS} and exists (
	    select from hold_part p
	     where p.reservation_token = h.reservation_token and p.own_state is null and p.fg_id = any($7::uuid[]) offset 0)`,
);

/** Capped keys that somebody keeps locked. */
export const selectBlockedKeys = prepared<[keyId: string]>(
	"select_blocked_keys",
	`with ${YOUNG}, free as materialized (
	   select key_id from api_key where key_id = any($1::uuid[]) for no key update skip locked)
	 select key_id from api_key where key_id = any($1::uuid[]) and key_id <> all(array(select key_id from free)) and ${KEPT}`,
);
