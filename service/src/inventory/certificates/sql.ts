import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { firstSince, momentOf, preparedPage, type ReadRows } from "../../ground/pg/page.ts";
import { prepared } from "../../ground/pg/query.ts";
import { settledOf } from "../../ground/pg/replayed.ts";
import {
	type ColumnsOf,
	day,
	decimal,
	id,
	int,
	nullable,
	readerOf,
	text,
	time,
	wholeMs,
	word,
} from "../../ground/pg/table.ts";
import { isSandboxPool } from "../catalog/sandbox-pools-sql.ts";
import type { ListedStatus } from "./certificate.ts";
import type { Digest } from "./digest.ts";
import type { Certificate } from "./record.ts";

const CERTIFICATE: ColumnsOf<Certificate> = {
	version: int("version"), // the first column, as `preparedPage` wants it
	certificateId: id("certificate_id"),
	slug: text("product_slug"),
	productName: text("product_name"),
	batchNumber: text("batch_number"),
	vialSize: nullable(text("vial_size")),
	testedOn: nullable(day("tested_on")),
	labName: nullable(text("lab_name")),
	purityPct: nullable(decimal("purity_pct")),
	status: word("status"),
	digest: word<Digest>("file_digest"),
	updatedAt: time("updated_at"),
};
const reader = readerOf(CERTIFICATE);
const COLUMNS = reader.select("c", {
	digest: "encode(c.file_digest, 'hex')",
	updatedAt: wholeMs("c.updated_at"),
});
type Row = readonly unknown[];
const toCertificate = (row: Row): Certificate => reader.decode(row);

export interface FeedFilter {
	readonly environment: Environment;
	/** Null: all listed statuses. */
	readonly status: ListedStatus | null;
	/** Slugs; null: all products. */
	readonly products: readonly string[] | null;
	/** Epoch milliseconds, inclusive; null: no lower bound. */
	readonly updatedSince: number | null;
}

/** Rows of the feed, with its stamp and the time when they were read. */
export interface FeedRows {
	readonly certificates: readonly Certificate[];
	readonly stamp: string;
	/** Epoch milliseconds. */
	readonly asOf: number;
}

/** Includes the number at which the pages of a replica end. */
const STAMP = `concat_ws('/', (select stamp from certificate_epoch), ${settledOf("certificate_epoch")})`;
const BY_TIME = { table: "certificate", number: "version", time: "updated_at", where: "version is not null" };

const feedHead = prepared<[asOf: number, stamp: string]>(
	"select_feed_head",
	`select ${momentOf("certificate_epoch")}, ${STAMP}`,
);
/** The current stamp, to validate cached pages, and the current moment. */
export async function selectFeedHead(db: Query): Promise<Pick<FeedRows, "stamp" | "asOf">> {
	const [asOf, stamp] = must((await feedHead(db, []))[0], "certificate_epoch");
	return { asOf, stamp };
}

const feeds = new Map<string, ReadRows<Row, [stamp: string]>>();

/** One statement per set of filters, so that each uses its own index. */
function feedOf(byStatus: boolean, byProduct: boolean): ReadRows<Row, [stamp: string]> {
	const name = `select_feed${byStatus ? "_status" : ""}${byProduct ? "_product" : ""}`;
	const known = feeds.get(name);
	if (known !== undefined) return known;
	const feed = preparedPage<Row, [stamp: string]>(
		name,
		"certificate_epoch",
		`with bound as materialized (select greatest($1::bigint + 1, ${firstSince(BY_TIME, "$4::timestamptz")}) as first)
		 select ${COLUMNS} from certificate c
		  where c.version is not null and not c.reissued and c.environment = $3 and c.version >= (select first from bound)
		    and ($4::timestamptz is null or c.updated_at >= $4)
		    and ${byStatus ? "c.status = $5" : "$5::text is null"} and ${byProduct ? "c.product_slug = any($6::text[])" : "$6::text[] is null"}
		  order by c.version limit $2`,
		[STAMP],
	);
	feeds.set(name, feed);
	return feed;
}

/** A page of certificates in the order of changes, and one more if another page follows. */
export async function selectFeed(
	db: Query,
	filter: FeedFilter,
	page: { readonly after: number; readonly limit: number },
): Promise<FeedRows> {
	const { environment, status, products, updatedSince } = filter;
	const since = updatedSince === null ? null : new Date(updatedSince).toISOString();
	const feed = feedOf(status !== null, products !== null);
	const { rows, asOfMs, head } = await feed(db, page, [environment, since, status, products]);
	return { certificates: rows.map(toCertificate), stamp: head[0], asOf: asOfMs };
}

const ofBatch = prepared<Row>(
	"select_certificates_of_batch",
	`select ${COLUMNS} from certificate c
	  where c.batch_number = $1 and c.version is not null and not c.reissued and c.environment = $2
	  order by c.product_slug, c.version limit $3`,
);
export const selectOfBatch = async (
	db: Query,
	batchNumber: string,
	environment: Environment,
	limit: number,
): Promise<Certificate[]> => (await ofBatch(db, [batchNumber, environment, limit])).map(toCertificate);

export interface FoundBatch {
	readonly batchNumber: string;
	/** True if this number has no live lot and no listed live certificate. */
	readonly sandbox: boolean;
	/** A live lot of this number is recalled. */
	readonly recalled: boolean;
}

/** Matches the exact number as typed, through the same index, even if it has only blanks and dots. */
const IS_TYPED = "batch_spelling(batch_number) = batch_spelling($1) and batch_number = $1";
const HAS_SPELLING = "batch_spelling(batch_number) = batch_spelling($1) and batch_spelling($1) <> ''";
const LISTED = "version is not null and not reissued";

/** Each branch takes a step or two in an index, however many lots share a number (migration 000043). */
const batchTyped = prepared<[batchNumber: string, sandbox: boolean, recalled: boolean]>(
	"select_batch_typed",
	`with spelled as materialized (
	   select min(batch_number) as first, max(batch_number) as last from (
	     (select batch_number from lot where ${HAS_SPELLING} order by batch_number limit 1)
	     union all (select batch_number from lot where ${HAS_SPELLING} order by batch_number desc limit 1)
	     union all (select batch_number from certificate where ${HAS_SPELLING} and ${LISTED} order by batch_number limit 1)
	     union all (select batch_number from certificate where ${HAS_SPELLING} and ${LISTED} order by batch_number desc limit 1)) s),
	 typed as (
	   select $1::text as batch_number
	    where exists (select from lot where ${IS_TYPED})
	       or exists (select from certificate where ${IS_TYPED} and ${LISTED})),
	 found as materialized (
	   select batch_number from typed
	   union all select first from spelled where first = last and not exists (select from typed))
	 select batch_number,
	        not exists (select from lot l where batch_spelling(l.batch_number) = batch_spelling($1) and l.batch_number = f.batch_number
	                                        and not ${isSandboxPool("l.pool_id")})
	        and not exists (select from certificate c where batch_spelling(c.batch_number) = batch_spelling($1) and c.batch_number = f.batch_number
	                                        and ${LISTED} and c.environment = 'live'),
	        exists (select from lot l where l.batch_number = f.batch_number and l.recalled_at is not null and not ${isSandboxPool("l.pool_id")})
	   from found f`,
);
/** The batch with exactly this number, or else the only one that differs just in capitals, blanks, hyphens or dots. */
export async function selectBatchTyped(db: Query, typed: string): Promise<FoundBatch | null> {
	const [row] = await batchTyped(db, [typed]);
	if (row === undefined) return null;
	const [batchNumber, sandbox, recalled] = row;
	return { batchNumber, sandbox, recalled };
}

const fileOf = prepared<[status: string, isLast: boolean, size: number]>(
	"select_certificate_file",
	`select c.status, c.file_digest = f.digest, f.size from certificate c join certificate_file f using (certificate_id)
	  where c.certificate_id = $1 and f.digest = decode($2, 'hex')`,
);
/** A PDF that a certificate has or once had. */
export interface FileOfCertificate {
	readonly status: string;
	/** Whether the certificate has this PDF now. */
	readonly isLast: boolean;
	/** Bytes. */
	readonly size: number;
}
export async function selectFile(db: Query, certificateId: string, digest: Digest): Promise<FileOfCertificate | null> {
	const [row] = await fileOf(db, [certificateId, digest]);
	return row === undefined ? null : { status: row[0], isLast: row[1], size: row[2] };
}

/** Every file that certificates have or once had; backup, restore and verify work from this list. */
export const selectFiles = async (db: Query): Promise<{ digest: Digest; size: number }[]> =>
	(
		await db.query<{ digest: Digest; size: number }>(
			"select distinct encode(digest, 'hex') as digest, size from certificate_file order by 1",
		)
	).rows;

/**
 * The files that must exist, each with its certificate. `above` 0: every file that a certificate has or once had;
 * otherwise those that certificates above this number of their list show.
 */
export const selectKeptFiles = async (
	db: Query,
	above: number,
): Promise<{ what: string; digest: Digest; size: number }[]> =>
	(
		await db.query<{ what: string; digest: Digest; size: number }>(
			`select c.product_slug || ' ' || c.batch_number || case when is_shown then '' else ' (not shown)' end as what,
			        encode(f.digest, 'hex') as digest, f.size
			   from certificate c join certificate_file f using (certificate_id)
			   cross join lateral (select c.status in ('current', 'archived') and f.digest = c.file_digest as is_shown) s
			  where $1::bigint = 0 or (is_shown and c.version > $1) order by 1, 2`,
			[above],
		)
	).rows;
