import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";

/**
 * Has a lot a current certificate? Asked of a lot that stands in the query as `lot`, by its formula and batch number.
 * Where units of a lot without one are not available, this is why (docs/decisions/0042).
 */
export const isCertified = (lot: string): string => `exists (
	    select from sku_component ck join sku cs on cs.sku = ck.sku join certificate cc on cc.product_slug = cs.slug
	     where ck.formula_id = ${lot}.formula_id and cc.batch_number = ${lot}.batch_number and cc.status = 'current')`;

const certifiedLots = prepared<[fgId: string]>(
	"select_certified_lots",
	`select l.fg_id from lot l where l.fg_id = any($1::uuid[]) and ${isCertified("l")}`,
);
/** Those of these lots that have a current certificate. */
export const selectCertifiedLots = async (tx: Query, fgIds: readonly string[]): Promise<Set<string>> =>
	new Set((await certifiedLots(tx, [plainArray(fgIds)])).map(([fgId]) => fgId));

/**
 * Rows of a look at stock: the batch of the current certificate of each product, by its place in the array of slugs
 * that stands at `$slugs`; the one that was published last, where several are.
 */
export const currentCoaRows = (slugs: number): string => `
	 select s.n::int, null::int, 0, 0, null::date, c.batch_number
	   from unnest($${slugs}::text[]) with ordinality s(slug, n)
	  cross join lateral (
	    select batch_number from certificate where product_slug = s.slug and status = 'current'
	     order by published_at desc, certificate_id limit 1) c`;
