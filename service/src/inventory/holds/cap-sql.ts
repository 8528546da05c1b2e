import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";
import { ms } from "../../ground/pg/table.ts";

/** Locks capped keys, so that two nodes cannot both find room under one cap. First of all locks. */
export const lockKeys = prepared<[keyId: string]>(
	"lock_capped_keys",
	"select key_id from api_key where key_id = any($1::uuid[]) order by key_id for no key update",
);
/**
 * Units in active holds, by capped key. Those that end within a minute come by their end, in milliseconds, so that the
 * instant at which the batch decides, read by another statement, says which of them still count.
 */
export const selectHeldByKey = prepared<[keyId: string, endsSoonAt: number | null, units: number]>(
	"select_held_by_key",
	`select h.key_id,
	        case when h.expires_at < statement_timestamp() + interval '1 minute'
	             then ${ms("h.expires_at")} end,
	        sum(p.units)::bigint
	   from hold h join hold_part p using (reservation_token)
	  where h.key_id = any($1::uuid[]) and h.status = 'active' and p.own_state is null
	    and h.expires_at > statement_timestamp() - interval '1 minute'
	  group by 1, 2`,
);

/** Capped keys that somebody keeps locked. */
export const selectBlockedKeys = prepared<[keyId: string]>(
	"select_blocked_keys",
	`with ${YOUNG}, free as materialized (
	   select key_id from api_key where key_id = any($1::uuid[]) for no key update skip locked)
	 select key_id from api_key where key_id = any($1::uuid[]) and key_id <> all(array(select key_id from free)) and ${KEPT}`,
);
