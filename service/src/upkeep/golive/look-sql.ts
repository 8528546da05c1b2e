import type { Environment } from "../../glossary.ts";
import { textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { LookRow } from "./facts-sql.ts";
import { MOST_ITEMS, MOST_LOOKS, POSTED_EVERY_SECONDS } from "./limits.ts";

/** A current certificate of the product of a SKU. */
export interface CurrentDocument {
	readonly sku: string;
	readonly certificateId: string;
	/** The digest of its PDF, in hexadecimal digits. */
	readonly digest: string;
}

/** The current certificates of the products of these SKUs. */
export const selectCurrentDocuments = (db: Query, environment: Environment, skus: readonly string[]) =>
	db.query<CurrentDocument>(
		`select k.sku, c.certificate_id as "certificateId", encode(c.file_digest, 'hex') as digest
		   from sku k join certificate c on c.product_slug = k.slug
		  where k.sku = any($1::text[]) and c.environment = $2 and c.status = 'current' and c.version is not null and not c.reissued
		  order by k.sku, c.version limit ${MOST_ITEMS * 10}`,
		[textArray(skus), environment],
	);

export type NewLook = Omit<LookRow, "at">;

/**
 * Keeps a look of a running run, and adds its SKUs to those of the run. Returns its time in epoch milliseconds; null:
 * the run is not running, or its partner posted another look a moment ago.
 */
export async function insertLook(db: Query, goLiveId: string, look: NewLook): Promise<number | null> {
	const { rows } = await db.query<{ at: number }>(
		`with run as (
		   update golive_run set mapped = array(
		     select sku from (select distinct sku from unnest(mapped || $8::text[]) sku) shown order by sku collate "C" limit ${MOST_ITEMS})
		    where golive_id = $1 and state = 'running' and not ($3::text = 'posted' and exists (
		      select from golive_look where golive_id = $1 and source = 'posted'
		         and at > clock_timestamp() - interval '${POSTED_EVERY_SECONDS} seconds'))
		   returning golive_id)
		 insert into golive_look (golive_id, at, look_id, source, problem, items, counts, documents)
		 select golive_id, clock_timestamp(), $2::text, $3::text, $4::text, $5::jsonb, $6::jsonb, $7::jsonb from run returning ${wholeMs("at")} as at`,
		[
			goLiveId,
			look.id,
			look.source,
			look.problem,
			JSON.stringify(look.items),
			JSON.stringify(look.counts),
			JSON.stringify(look.documents),
			textArray(look.items.map(({ sku }) => sku)),
		],
	);
	return rows[0]?.at ?? null;
}

/** Deletes the oldest looks of a run that has more than are kept. */
export const deleteOldLooks = (db: Query, goLiveId: string): Promise<unknown> =>
	db.query(
		`delete from golive_look where golive_id = $1
		    and at < (select at from golive_look where golive_id = $1 order by at desc offset ${MOST_LOOKS - 1} limit 1)`,
		[goLiveId],
	);
