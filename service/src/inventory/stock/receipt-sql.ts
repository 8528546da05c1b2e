import { SANDBOX_SKU_PREFIX } from "../../glossary.ts";
import { plainArray } from "../../ground/pg/array.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { preparedPage } from "../../ground/pg/page.ts";
import { prepared } from "../../ground/pg/query.ts";
import { READ_NOW } from "../../ground/pg/replayed.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import { isCertified } from "../certificates/certified-sql.ts";
import type { ReceiptChange } from "./receipt.ts";
import { SWEPT_TO } from "./sql.ts";

/*
 * Receipts of a lot are read and written under the lot's lock alone. The statement that writes them also takes their
 * numbers and is the last of its transaction, so `receipt_epoch` is the last lock (docs/decisions/0029).
 */

/** Takes the columns of `receiptColumns`. */
export const saveReceipts = prepared(
	"put_receipts",
	`with change as materialized (
	   select * from unnest($2::uuid[], $3::uuid[], $4::int[], $5::date[], $6::int[], $7::int[], $8::boolean[], $9::boolean[])
	     with ordinality c(receipt_id, fg_id, pool_id, day, received, corrected, whole, is_first, place)),
	 candidate as materialized (
	   select c.*, r.received_on, false as is_new
	     from change c cross join lateral (select received_on from receipt where fg_id = c.fg_id offset 0) r
	    where not c.is_first
	   union all
	   select c.*, c.day, true
	     from change c
	    where c.is_first
	       or (c.received > 0 and not exists (select from receipt r where r.fg_id = c.fg_id and r.received_on = c.day))
	       or (c.received = 0 and c.corrected <> 0 and not exists (select from receipt r where r.fg_id = c.fg_id))),
	 told as materialized (
	   select receipt_id, fg_id, pool_id, received_on, is_new, row_number() over (order by place, received_on) as n,
	          case when received_on = day then received else 0 end as received, case when is_last then corrected else 0 end as corrected
	     from (select c.*, received_on = max(received_on) over (partition by fg_id) as is_last from candidate c) r
	    where whole or (received > 0 and received_on = day) or (corrected <> 0 and is_last)),
	 taken as materialized (
	   select take_numbers('receipt_epoch', count) - count as before from (select count(*) from told) c where count > 0),
	 made as (
	   insert into receipt (receipt_id, fg_id, pool_id, received_on, units_received, units_corrected, updated_at, version)
	   select receipt_id, fg_id, pool_id, received_on, received, corrected, $1::timestamptz, before + n from told, taken where is_new)
	 update receipt r
	    set units_received = r.units_received + t.received, units_corrected = r.units_corrected + t.corrected,
	        updated_at = $1::timestamptz, version = before + n
	   from told t, taken where r.fg_id = t.fg_id and r.received_on = t.received_on and not t.is_new`,
);

/** The columns for a batch's changes. `ids`: ids for new receipts, one per change. */
export const receiptColumns = (now: number, ids: readonly string[], changes: readonly ReceiptChange[]): unknown[] => [
	new Date(now).toISOString(),
	plainArray(ids),
	...(["fgId", "poolId", "day", "received", "corrected"] as const).map((name) =>
		plainArray(changes.map((change) => change[name])),
	),
	plainArray(changes.map(({ whole }) => String(whole))),
	plainArray(changes.map(({ isFirst }) => String(isFirst))),
];

/** A listed receipt with the current state of its lot. */
export type ReceiptRow = [
	version: number,
	receiptId: string,
	/** YYYY-MM-DD. */
	receivedOn: string,
	formulaId: string,
	formulaName: string,
	/** SKUs of the reader's environment, by name. */
	skus: string[],
	batchNumber: string,
	/** YYYY-MM-DD; null: never expires. */
	expiresOn: string | null,
	unitsReceived: number,
	unitsCorrected: number,
	/** Free units of the lot, including those of lapsed holds; in date or not. */
	free: number,
	quarantined: number,
	/** Epoch milliseconds. */
	updatedAtMs: number,
	/** YYYY-MM-DD, the current day in the operator's time zone. */
	today: string,
];

/**
 * Receipts of a pool. Filters: the pool; whether the reader is of the sandbox; the operator's time zone; first and last
 * day, formulas and a batch number, each null for all; whether lots need a current certificate to be available.
 */
export const selectReceipts = preparedPage<ReceiptRow>(
	"select_receipts",
	"receipt_epoch",
	`with lapsed as materialized (
	   select p.fg_id, p.units
	     from hold h
	    cross join lateral (
	      select fg_id, units from hold_part where reservation_token = h.reservation_token and own_state is null offset 0) p
	    where h.ended_at is null and h.expires_at <= ${READ_NOW} and h.expires_at >= ${SWEPT_TO})
	 select r.version, r.receipt_id, r.received_on, l.formula_id, f.name,
	        array(select c.sku from sku_component c
	               where c.formula_id = l.formula_id and starts_with(c.sku, '${SANDBOX_SKU_PREFIX}') = $4 order by c.sku),
	        l.batch_number, l.expires_on, r.units_received, r.units_corrected,
	        -- of a recalled lot nothing is free, nor what lapsed holds still bind
	        case when $10 and not ${isCertified("l")} then 0 else l.available + case when l.recalled_at is null then coalesce((select sum(units) from lapsed where lapsed.fg_id = l.fg_id), 0) else 0 end::int end,
	        l.quarantined,
	        ${wholeMs("r.updated_at")}, (${READ_NOW} at time zone $5)::date
	   from receipt r
	  cross join lateral (select * from lot where fg_id = r.fg_id offset 0) l
	  cross join lateral (select name from formula where formula_id = l.formula_id offset 0) f
	  where r.version > $1 and r.pool_id = $3
	    and ($6::date is null or r.received_on >= $6) and ($7::date is null or r.received_on <= $7)
	    and ($8::uuid[] is null or l.formula_id = any($8)) and ($9::text is null or l.batch_number = $9)
	  order by r.version limit $2`,
);

/** Returns a row if another transaction keeps the receipt epoch locked, such as an import about to commit. */
export const selectBlockedReceipts = prepared<[version: number]>(
	"select_blocked_receipts",
	`with ${YOUNG}, free as materialized (select version from receipt_epoch for update skip locked)
	 select version from receipt_epoch where not exists (select from free) and ${KEPT}`,
);
