import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import type { CertificateStatus } from "./certificate.ts";
import { STORED, type StoredCertificate } from "./change-sql.ts";

export interface ShownCertificate extends StoredCertificate {
	readonly environment: "live" | "sandbox";
	/** Bytes of its PDF. */
	readonly size: number;
	readonly publishedAt: Date | null;
	readonly retiredAt: Date | null;
	readonly retireReason: string | null;
	readonly changedBy: string;
	readonly updatedAt: Date;
	readonly lots: readonly {
		readonly fgId: string;
		readonly formula: string;
		readonly brandCode: string | null;
		readonly recalled: boolean;
	}[];
}

export interface CertificateFilter {
	/** Null: every status. */
	readonly status?: CertificateStatus | null | undefined;
	/** A product's slug; null: every product. */
	readonly slug?: string | null | undefined;
	/** Null: every number. */
	readonly batchNumbers?: readonly string[] | null | undefined;
	/** A part of the batch number, the laboratory, or the product's slug or name; null: any. */
	readonly q?: string | null | undefined;
	/** Only certificates after this one in the order of the list; null: from the beginning. */
	readonly after?: string | null | undefined;
}

/** The place of a certificate in the list: retired ones come after their replacement, the last retired first. */
const PLACE = `c.product_slug, c.batch_number, c.status = 'retired', -extract(epoch from c.updated_at), c.certificate_id`;

/** At most `limit` certificates by product and batch, including drafts and retired ones. */
export const listCertificates = (
	db: Query,
	{ status = null, slug = null, batchNumbers = null, q = null, after = null }: CertificateFilter,
	limit: number,
) =>
	firstRows(limit, (most) =>
		db.query<ShownCertificate>(
			`select ${STORED}, c.environment, f.size, c.published_at as "publishedAt", c.retired_at as "retiredAt",
			        c.retire_reason as "retireReason", c.changed_by as "changedBy", c.updated_at as "updatedAt",
			        coalesce((select jsonb_agg(jsonb_build_object('fgId', l.fg_id, 'formula', o.code, 'brandCode', p.brand_code,
			                                                     'recalled', l.recalled_at is not null) order by o.code, p.brand_code nulls first)
			                    from certificate_lot b join lot l using (fg_id) join formula o using (formula_id) join pool p using (pool_id)
			                   where b.certificate_id = c.certificate_id), '[]') as lots
			   from certificate c join certificate_file f on f.certificate_id = c.certificate_id and f.digest = c.file_digest
			  where ($1::text is null or c.status = $1) and ($2::text is null or c.product_slug = $2)
			    and ($3::text[] is null or c.batch_number = any($3))
			    and ($4::text is null or c.batch_number ilike $4 or c.lab_name ilike $4 or c.product_slug ilike $4 or c.product_name ilike $4)
			    and ($5::uuid is null
			         or c.product_slug >= (select c.product_slug from certificate c where c.certificate_id = $5)
			            and (${PLACE}) > (select ${PLACE} from certificate c where c.certificate_id = $5))
			  order by ${PLACE} limit $6`,
			[status, slug, batchNumbers, q === null ? null : contains(q), after, most],
		),
	);

/** Published batch numbers that equal this one except for capitals, blanks, hyphens or dots. */
export const selectSpelledBatches = async (db: Query, batchNumber: string): Promise<string[]> =>
	(
		await db.query<{ batchNumber: string }>(
			`select distinct batch_number as "batchNumber" from certificate
			  where batch_spelling(batch_number) = batch_spelling($1) and version is not null and not reissued order by 1`,
			[batchNumber],
		)
	).rows.map((row) => row.batchNumber);
