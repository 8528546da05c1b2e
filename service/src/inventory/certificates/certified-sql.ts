import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";

/**
 * A condition that a lot has a current certificate. `lot` is an alias in the query, with the columns `formula_id` and
 * `batch_number`. Where certificates are required, a lot without one is not available (docs/decisions/0042).
 */
export const isCertified = (lot: string): string => `exists (
	    select from sku_component ck join sku cs on cs.sku = ck.sku join certificate cc on cc.product_slug = cs.slug
	     where ck.formula_id = ${lot}.formula_id and cc.batch_number = ${lot}.batch_number and cc.status = 'current')`;

const certifiedLots = prepared<[fgId: string]>(
	"select_certified_lots",
	`select l.fg_id from lot l where l.fg_id = any($1::uuid[]) and ${isCertified("l")}`,
);
export const selectCertifiedLots = async (tx: Query, fgIds: readonly string[]): Promise<Set<string>> =>
	new Set((await certifiedLots(tx, [plainArray(fgIds)])).map(([fgId]) => fgId));

/**
 * Rows for a stock check: the batch of each product's current certificate, the latest published if there are several.
 * Each row has the product's position in the array of slugs, which is parameter `$slugs`.
 */
export const currentCoaRows = (slugs: number): string => `
	 select s.n::int, null::int, 0, 0, null::date, c.batch_number
	   from unnest($${slugs}::text[]) with ordinality s(slug, n)
	  cross join lateral (
	    select batch_number from certificate where product_slug = s.slug and status = 'current'
	     order by published_at desc, certificate_id limit 1) c`;
