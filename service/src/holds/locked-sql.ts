import { KEPT, YOUNG } from "../pg/kept-locks.ts";
import { prepared } from "../pg/query.ts";
import { NAMED_HOLDS } from "./sql.ts";

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
