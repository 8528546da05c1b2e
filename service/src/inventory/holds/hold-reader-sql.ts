import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { ms, wholeMs } from "../../ground/pg/table.ts";
import { type Hold, statusAt } from "./hold.ts";
import { holdColumns, type PartRow, partColumns, toHold, toPart } from "./sql.ts";

/** Names a hold of a key by its token, or the newest hold under a reference. */
export type HoldName = { readonly keyId: string } & ({ readonly token: string } | { readonly externalRef: string });

export interface HoldAsRead {
	/** Status and parts are those of the instant: a hold past its end is expired, whether or not that is recorded. */
	readonly hold: Hold;
	/** Milliseconds since 1970, database clock; null: active. An expired hold ended at its `expiresAt`. */
	readonly endedAt: number | null;
	/** The order created from it; null: none. */
	readonly orderId: string | null;
}

/**
 * The id of the order created from hold `h`, or null. Read here, so that hold and order are of one snapshot; only
 * orders write it.
 */
const ORDER_ID = "(select order_id from orders where reservation_token = h.reservation_token)";

type ReadRow = [
	/** 1-based index of the name that this hold was found by. */
	n: number,
	now: number,
	parts: PartRow[],
	orderId: string | null,
	endedAt: number | null,
	...hold: unknown[],
];
const HOLD_FROM = 5;

/*
 * Reads only holds of the calling key. An active hold under a reference is always the newest, because no other can be
 * created while it is active. Of past holds, only the newest is read, from the end of the index hold_past_ref_newest.
 * Locks no row; one statement, so one snapshot.
 */
const readNamedHolds = prepared<ReadRow>(
	"read_named_holds",
	`select n.n, ${wholeMs("statement_timestamp()")}, p.parts, ${ORDER_ID}, ${ms("h.ended_at")}, ${holdColumns("h")}
	   from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality n(of_key, token, ref, n)
	  cross join lateral (
	    select 0 as place, hold.* from hold where reservation_token = n.token and key_id = n.of_key
	    union all
	    select 0, hold.* from hold where key_id = n.of_key and external_ref = n.ref and status = 'active'
	    union all
	    (select 1, hold.* from hold where key_id = n.of_key and external_ref = n.ref and status <> 'active'
	      order by created_at desc, reservation_token desc limit 1)
	    order by place limit 1) h
	  cross join lateral (
	    select coalesce(jsonb_agg(jsonb_build_array(${partColumns("p")}) order by ordinal), '[]') as parts
	      from hold_part p where reservation_token = h.reservation_token offset 0) p`,
);

/** The holds with these names, in order; null: the key has no such hold. */
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

function toHoldAsRead(row: ReadRow): HoldAsRead {
	const [, now, parts, orderId, writtenEnd] = row;
	const written = toHold(row, HOLD_FROM);
	const partsUnder = (status: Hold["status"]) => parts.map((part) => toPart(part, status).part);
	const status = statusAt({ ...written, parts: partsUnder(written.status) }, now);
	const hold = { ...written, status, parts: partsUnder(status) };
	const endedAt = status === "expired" ? Math.min(writtenEnd ?? hold.expiresAt, hold.expiresAt) : writtenEnd;
	return { hold, endedAt, orderId };
}
