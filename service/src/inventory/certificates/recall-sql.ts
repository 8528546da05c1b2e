import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";

const lockEpochOnly = prepared("lock_certificate_epoch", "select version from certificate_epoch for update");

const retire = prepared(
	"retire_recalled_certificates",
	`with moment as materialized (select certificate_now() as now),
	 bound as materialized (
	   select distinct c.certificate_id from unnest($1::uuid[]) t(fg_id)
	    cross join lateral (select formula_id, batch_number from lot where fg_id = t.fg_id offset 0) l
	    cross join lateral (select sku from sku_component where formula_id = l.formula_id offset 0) k
	    cross join lateral (select slug from sku where sku = k.sku and slug is not null offset 0) s
	    cross join lateral (
	      select certificate_id from certificate
	       where batch_number = l.batch_number and product_slug = s.slug and status in ('current', 'archived') offset 0) c),
	 placed as (select certificate_id, row_number() over (order by certificate_id) as n from bound),
	 taken as materialized (
	   select take_numbers('certificate_epoch', count) - count as before from (select count(*) from bound) b where count > 0)
	 update certificate c set status = 'retired', retired_at = now, retire_reason = 'recall', changed_by = 'system:recall', updated_at = now,
	        version = before + n
	   from moment, placed p, taken where c.certificate_id = p.certificate_id`,
);

/**
 * Retires the certificates of these lots. The lock is a statement of its own, so that the next one sees certificates
 * published by the previous holder of the lock. Both are sent at once; the commit follows without waiting for a reply.
 */
export function retireOfLots(tx: Query, fgIds: readonly string[]): Promise<unknown> {
	return Promise.all([lockEpochOnly(tx, []), retire(tx, [plainArray(fgIds)])]);
}

const refuseRecalled = prepared("refuse_recalled_batches", "select refuse_recalled_batches($1::uuid[])");

/**
 * Fails the transaction with a conflict if a lot with the formula and batch number of one of these lots was recalled
 * since this transaction read it, because units were added as free. A recall that commits later sees these lots
 * (docs/decisions/0066).
 */
export const holdToRecalls = (tx: Query, fgIds: readonly string[]): Promise<unknown> =>
	Promise.all([lockEpochOnly(tx, []), refuseRecalled(tx, [plainArray(fgIds)])]);

/** Returns a row if another transaction keeps the certificate epoch locked. */
export const selectBlockedCertificates = prepared<[version: number]>(
	"select_blocked_certificates",
	`with ${YOUNG}, free as materialized (select version from certificate_epoch for update skip locked)
	 select version from certificate_epoch where not exists (select from free) and ${KEPT}`,
);
