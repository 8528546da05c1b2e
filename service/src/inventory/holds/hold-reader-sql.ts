import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { type Hold, statusAt } from "./hold.ts";
import { type HoldRow, type PartRow, toHold, toPart } from "./sql.ts";

/** Which hold of a key: that of a token, or the newest under a reference. */
export type HoldName = { readonly keyId: string } & ({ readonly token: string } | { readonly externalRef: string });

/** A hold as it was at one instant. */
export interface HoldAsRead {
	/**
	 * Its status and its parts are those of the instant: past its end it is expired, whether or not that was written
	 * down.
	 */
	readonly hold: Hold;
	/**
	 * Milliseconds since 1970, database clock; null: it had not ended. Of an expired hold its end, whenever that was
	 * written down.
	 */
	readonly endedAt: number | null;
	/** The order it became; null: none. */
	readonly orderId: string | null;
}

/**
 * The id of the order that the hold `h` became, or null. Read here because it must be of the same snapshot; orders
 * alone write it.
 */
const ORDER_ID = "(select order_id from orders where reservation_token = h.reservation_token)";

const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::bigint`;
const NAMES = "reservation_token, key_id, partner_id, status, external_ref, consume_ref";
const COLUMNS = `${NAMES}, ${ms("created_at")} as created, ${ms("expires_at")} as expires, consumed_units, returned_units, lines,
	       ${ms("ended_at")} as ended`;

type ReadRow = [
	/** Which of the names asked for this hold, from 1. */
	n: number,
	now: number,
	parts: PartRow[],
	orderId: string | null,
	endedAt: number | null,
	...hold: HoldRow,
];

/*
 * Holds of the key that asks are looked at, and no others. An active hold is the newest under its reference, for no
 * other can be made while it is active. Of the past ones the newest alone is read, from the end of the index
 * hold_past_ref_newest. No row is locked, and one statement is one snapshot.
 */
const readNamedHolds = prepared<ReadRow>(
	"read_named_holds",
	`select n.n, floor(extract(epoch from statement_timestamp()) * 1000)::bigint, p.parts, ${ORDER_ID}, h.ended,
	        ${NAMES}, h.created, h.expires, h.consumed_units, h.returned_units, h.lines
	   from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality n(of_key, token, ref, n)
	  cross join lateral (
	    select 0 as place, ${COLUMNS} from hold where reservation_token = n.token and key_id = n.of_key
	    union all
	    select 0, ${COLUMNS} from hold where key_id = n.of_key and external_ref = n.ref and status = 'active'
	    union all
	    (select 1, ${COLUMNS} from hold where key_id = n.of_key and external_ref = n.ref and status <> 'active'
	      order by created_at desc, reservation_token desc limit 1)
	    order by place limit 1) h
	  cross join lateral (
	    select coalesce(jsonb_agg(jsonb_build_array(
	             reservation_token, ordinal, line, formula_id, fg_id, pool_id, units, own_state) order by ordinal), '[]') as parts
	      from hold_part where reservation_token = h.reservation_token offset 0) p`,
);

/** The holds of these names, in the order of the names; null: the key has no such hold. */
export async function readHolds(db: Query, names: readonly HoldName[]): Promise<(HoldAsRead | null)[]> {
	const rows = await readNamedHolds(db, [
		plainArray(names.map(({ keyId }) => keyId)),
		plainArray(names.map((name) => ("token" in name ? name.token : null))),
		textArray(names.map((name) => ("externalRef" in name ? name.externalRef : null))),
	]);
	const found: (HoldAsRead | null)[] = names.map(() => null);
	for (const row of rows) found[row[0] - 1] = toHoldAsRead(row);
	return found;
}

function toHoldAsRead([, now, parts, orderId, writtenEnd, ...row]: ReadRow): HoldAsRead {
	const written = toHold(row);
	const partsUnder = (status: Hold["status"]) => parts.map((part) => toPart(part, status).part);
	const status = statusAt({ ...written, parts: partsUnder(written.status) }, now);
	const hold = { ...written, status, parts: partsUnder(status) };
	const endedAt = status === "expired" ? Math.min(writtenEnd ?? hold.expiresAt, hold.expiresAt) : writtenEnd;
	return { hold, endedAt, orderId };
}
