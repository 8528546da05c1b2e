import { SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import { textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Retirement } from "./facts.ts";

/** A sandbox product for which a certificate can be published and retired in a run. */
export interface RetirableProduct {
	readonly slug: string;
	readonly name: string;
	readonly skus: readonly string[];
	/** The number of certificates that were published for the run before, and today's date. */
	readonly before: number;
	readonly today: string;
}

/** The first sandbox product that the partner shows, or else the first of all; null: the sandbox has none. */
export async function selectRetirable(
	db: Query,
	goLiveId: string,
	mapped: readonly string[],
): Promise<RetirableProduct | null> {
	const { rows } = await db.query<RetirableProduct>(
		`select p.slug, p.name, array_agg(k.sku order by k.sku) as skus, to_char(now(), 'YYYY-MM-DD') as today,
		        (select count(*)::int from golive_retirement where golive_id = $1) as before
		   from product p join sku k on k.slug = p.slug where starts_with(p.slug, $2)
		  group by p.slug, p.name order by bool_or(k.sku = any($3::text[])) desc, p.slug limit 1`,
		[goLiveId, SANDBOX_SLUG_PREFIX, textArray(mapped)],
	);
	return rows[0] ?? null;
}

/** The id of the certificate of a product and a batch that is not retired. */
export const selectCertificateId = async (tx: Query, slug: string, batchNumber: string): Promise<string | null> =>
	(
		await tx.query<{ id: string }>(
			`select certificate_id as id from certificate where product_slug = $1 and batch_number = $2 and status <> 'retired'`,
			[slug, batchNumber],
		)
	).rows[0]?.id ?? null;

export type PublishedForRun = Omit<Retirement, "at">;

export const insertRetirement = (tx: Query, goLiveId: string, one: PublishedForRun): Promise<unknown> =>
	tx.query(
		`insert into golive_retirement (golive_id, slug, batch_number, skus, document, published_at)
		 values ($1, $2, $3, $4, $5, clock_timestamp())`,
		[goLiveId, one.slug, one.batchNumber, one.skus, one.document],
	);

/** The certificates of a run that are not retired yet. */
export const selectToRetire = (db: Query, goLiveId: string) =>
	db.query<{ readonly slug: string; readonly batchNumber: string }>(
		`select slug, batch_number as "batchNumber" from golive_retirement where golive_id = $1 and retired_at is null
		  order by published_at`,
		[goLiveId],
	);

export const setRetired = (tx: Query, goLiveId: string, batchNumber: string): Promise<unknown> =>
	tx.query("update golive_retirement set retired_at = clock_timestamp() where golive_id = $1 and batch_number = $2", [
		goLiveId,
		batchNumber,
	]);
