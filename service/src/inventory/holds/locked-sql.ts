import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { overSources } from "../../ground/pg/sources.ts";
import { NAMES, type Named } from "./sql.ts";

/** Holds of the batch that somebody keeps locked. */
export const selectBlockedHolds = overSources<
	Named,
	[token: string, keyId: string, externalRef: string | null, consumeRef: string | null]
>(
	"select_blocked_holds",
	NAMES,
	(tokens) => `with ${YOUNG}, free as materialized (
	   select reservation_token from hold where reservation_token = any(array(${tokens})) for update skip locked)
	 select reservation_token, key_id, external_ref, consume_ref from hold
	  where reservation_token = any(array(${tokens})) and reservation_token <> all(array(select reservation_token from free))
	    and ${KEPT}`,
);

/** Which holds of the batch have parts on these lots. Its own parameter: the lots' ids. */
export const selectTokensOnLots = overSources<Named, [token: string, keyId: string, consumeRef: string | null]>(
	"select_tokens_on_lots",
	NAMES,
	(tokens) => `select h.reservation_token, h.key_id, h.consume_ref from hold h
	  where h.reservation_token = any(array(${tokens})) and exists (
	    select from hold_part p
	     where p.reservation_token = h.reservation_token and p.own_state is null and p.fg_id = any($1::uuid[]) offset 0)`,
	1,
);
