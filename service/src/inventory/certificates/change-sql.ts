import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { prepared } from "../../ground/pg/query.ts";
import { isSandboxPool } from "../catalog/sandbox-pools-sql.ts";
import type { CertificateFacts, CertificateStatus } from "./certificate.ts";
import { RETIRED, tellRetired } from "./tell-retired-sql.ts";

/*
 * Certificate changes are serialized: each locks the epoch before it reads certificates, and takes its numbers at the
 * end. So no change misses a recall, and no recall misses a change (docs/decisions/0041).
 */

/** A stored certificate; may be a draft. */
export interface StoredCertificate extends CertificateFacts {
	readonly certificateId: string;
	readonly status: CertificateStatus;
	/** SHA-256 of its PDF, in hexadecimal. */
	readonly digest: string;
}

/** The natural key of a certificate. */
export interface CertificateName {
	readonly slug: string;
	readonly batchNumber: string;
}

/** The columns of a stored certificate `c`. */
export const STORED = `c.certificate_id as "certificateId", c.product_slug as slug, c.product_name as "productName", c.batch_number as "batchNumber",
	c.vial_size as "vialSize", c.tested_on as "testedOn", c.lab_name as "labName", c.purity_pct::float8 as "purityPct", c.status,
	encode(c.file_digest, 'hex') as digest`;

const nameColumns = (names: readonly CertificateName[]): string[] => [
	textArray(names.map(({ slug }) => slug)),
	textArray(names.map(({ batchNumber }) => batchNumber)),
];

/** For each product and batch, the certificate that is not retired, or else the last one retired. */
export const selectStanding = async (tx: Query, names: readonly CertificateName[]): Promise<StoredCertificate[]> =>
	(
		await tx.query<StoredCertificate>(
			`select ${STORED} from unnest($1::text[], $2::text[]) n(slug, batch)
			  cross join lateral (
			    select * from certificate where product_slug = n.slug and batch_number = n.batch and not reissued
			     order by status = 'retired', version desc nulls first limit 1) c`,
			nameColumns(names),
		)
	).rows;

/** The given certificates that cover a recalled lot. */
export const selectRecalled = async (tx: Query, names: readonly CertificateName[]): Promise<CertificateName[]> =>
	(
		await tx.query<CertificateName>(
			`select n.slug, n.batch as "batchNumber" from unnest($1::text[], $2::text[]) n(slug, batch)
			  where exists (
			    select from sku s join sku_component k using (sku) join lot l on l.formula_id = k.formula_id
			     where s.slug = n.slug and l.batch_number = n.batch and l.recalled_at is not null)`,
			nameColumns(names),
		)
	).rows;

/** The given certificates that cover no lot yet, because no units of the batch have been received. */
export const selectWithoutLot = async (tx: Query, names: readonly CertificateName[]): Promise<CertificateName[]> =>
	(
		await tx.query<CertificateName>(
			`select n.slug, n.batch as "batchNumber" from unnest($1::text[], $2::text[]) with ordinality n(slug, batch, place)
			  where not exists (
			    select from sku s join sku_component k using (sku) join lot l on l.formula_id = k.formula_id
			     where s.slug = n.slug and l.batch_number = n.batch)
			  order by n.place`,
			nameColumns(names),
		)
	).rows;

/** Free and bound units in the lots of a product and a batch, except recalled lots and the sandbox's. */
export const selectStillForSale = prepared<
	[lots: number, available: number, bound: number, formulas: string[] | null, others: boolean]
>(
	"select_still_for_sale",
	`with own as (
	   select distinct k.formula_id from sku s join sku_component k using (sku) where s.slug = $1)
	 select count(*)::int, coalesce(sum(l.available), 0)::int, coalesce(sum(l.held + l.allocated), 0)::int,
	        array_agg(distinct f.code),
	        exists (select from lot o where o.batch_number = $2 and batch_spelling(o.batch_number) = batch_spelling($2)
	                                    and not ${isSandboxPool("o.pool_id")} and o.formula_id not in (select formula_id from own))
	   from lot l join formula f using (formula_id)
	  where l.formula_id in (select formula_id from own) and l.batch_number = $2 and l.recalled_at is null
	    and not ${isSandboxPool("l.pool_id")} and l.available + l.held + l.allocated > 0`,
);

export const selectProductNames = async (tx: Query, slugs: readonly string[]): Promise<Map<string, string>> =>
	new Map(
		(
			await tx.query<{ slug: string; name: string }>("select slug, name from product where slug = any($1::text[])", [
				slugs,
			])
		).rows.map(({ slug, name }) => [slug, name]),
	);

export interface CertificateToWrite extends StoredCertificate {
	/** Bytes of its PDF. */
	readonly size: number;
	/** Its position among the changes of its transaction, from 1; null for a draft. */
	readonly place: number | null;
}

/** Writes certificates and their files, numbered from `before` + 1. */
export async function writeCertificates(
	tx: Query,
	rows: readonly CertificateToWrite[],
	{ actor, before }: { readonly actor: string; readonly before: number },
): Promise<void> {
	await hideReplaced(
		tx,
		rows.filter(({ place }) => place !== null),
	);
	const sent = JSON.stringify(rows);
	await tx.query(
		`with moment as materialized (select certificate_now() as now)
		 insert into certificate as c (certificate_id, product_slug, product_name, batch_number, vial_size, tested_on, lab_name, purity_pct,
		                          status, file_digest, published_at, changed_by, updated_at, version)
		 select "certificateId", slug, "productName", "batchNumber", "vialSize", "testedOn", "labName", "purityPct",
		        n.status, decode(n.digest, 'hex'), case when n.status = 'current' then now end, $1, now, $2::bigint + place
		   from moment, jsonb_to_recordset($3::jsonb)
		     n("certificateId" uuid, slug text, "productName" text, "batchNumber" text, "vialSize" text, "testedOn" date, "labName" text,
		       "purityPct" numeric, status text, digest text, place int)
		 on conflict (certificate_id) do update set product_name = excluded.product_name, vial_size = excluded.vial_size,
		   tested_on = excluded.tested_on, lab_name = excluded.lab_name, purity_pct = excluded.purity_pct, status = excluded.status,
		   file_digest = excluded.file_digest, changed_by = excluded.changed_by, updated_at = excluded.updated_at, version = excluded.version,
		   published_at = case when c.status = 'current' then c.published_at else coalesce(excluded.published_at, c.published_at) end`,
		[actor, before, sent],
	);
	await tx.query(
		`insert into certificate_file (certificate_id, digest, size)
		 select "certificateId", decode(digest, 'hex'), size
		   from jsonb_to_recordset($1::jsonb) f("certificateId" uuid, digest text, size int)
		 on conflict do nothing`,
		[sent],
	);
}

/** Removes from the list the retired certificates with these names, because they now have a successor. */
const hideReplaced = (tx: Query, names: readonly CertificateName[]) =>
	tx.query(
		`update certificate c set reissued = true from unnest($1::text[], $2::text[]) n(slug, batch)
		  where c.product_slug = n.slug and c.batch_number = n.batch and c.status = 'retired' and not c.reissued`,
		nameColumns(names),
	);

/** Changes one certificate's status and takes the next number for it. Records the events if it is retired. */
export async function updateStatus(
	tx: Query,
	{ slug, batchNumber, certificateId, status, reason, actor, verifyUrl }: StatusChange,
): Promise<void> {
	if (status !== "retired") await hideReplaced(tx, [{ slug, batchNumber }]);
	await tx.query(
		`with moment as materialized (select certificate_now() as now, take_numbers('certificate_epoch', 1) as number),
		 changed as (
		   update certificate set status = $2, changed_by = $4, updated_at = now, version = number,
		          published_at = case when $2 = 'current' then now else published_at end,
		          retired_at = case when $2 = 'retired' then now end, retire_reason = case when $2 = 'retired' then $3 end
		     from moment where certificate_id = $1 returning ${RETIRED}, status),
		 retired as (select ${RETIRED} from changed where status = 'retired'),
		 shown as (select batch_number, $5::text as verify_url from retired),${tellRetired()}`,
		[certificateId, status, reason, actor, verifyUrl],
	);
}

interface StatusChange extends CertificateName {
	readonly certificateId: string;
	readonly status: Exclude<CertificateStatus, "draft">;
	readonly reason: string | null;
	readonly actor: string;
	/** The page on which to look up the batch. */
	readonly verifyUrl: string;
}

/** Archives current certificates whose lots are all sold out; returns how many. */
export const archiveSoldOutLots = async (tx: Query, actor: string): Promise<number> =>
	(
		await tx.query(
			`with moment as materialized (select certificate_now() as now),
			 sold_out as materialized (
			   select c.certificate_id, row_number() over (order by c.certificate_id) as n
			     from certificate c
			     join (select b.certificate_id from certificate_lot b join lot l using (fg_id)
			            group by 1 having bool_and(l.depleted) and bool_or(l.received > 0)) b using (certificate_id)
			    where c.status = 'current'),
			 taken as materialized (
			   select take_numbers('certificate_epoch', count) - count as before from (select count(*) from sold_out) s where count > 0)
			 update certificate c set status = 'archived', changed_by = $1, updated_at = now, version = before + n
			   from moment, sold_out s, taken where c.certificate_id = s.certificate_id`,
			[actor],
		)
	).rowCount ?? 0;

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
	   select take_numbers('certificate_epoch', count) - count as before from (select count(*) from bound) b where count > 0),
	 retired as (
	   update certificate c set status = 'retired', retired_at = now, retire_reason = 'recall', changed_by = 'system:recall',
	          updated_at = now, version = before + n
	     from moment, placed p, taken where c.certificate_id = p.certificate_id returning ${RETIRED.replaceAll(/\w+/g, "c.$&")}),
	 shown as (select * from unnest($2::text[], $3::text[]) s(batch_number, verify_url)),${tellRetired()}`,
);

/**
 * Retires the certificates of these lots, and records the events. `shown`: the page of each of their batch numbers. The
 * lock is a separate statement, so that the statement after it sees the certificates published by the previous holder
 * of the lock. Both are sent in one go, and the commit follows without waiting for their replies.
 */
export function retireOfLots(
	tx: Query,
	fgIds: readonly string[],
	shown: ReadonlyMap<string, string>,
): Promise<unknown> {
	const columns = [plainArray(fgIds), textArray([...shown.keys()]), textArray([...shown.values()])];
	return Promise.all([lockEpochOnly(tx, []), retire(tx, columns)]);
}

const refuseRecalled = prepared("refuse_recalled_batches", "select refuse_recalled_batches($1::uuid[])");

/**
 * For lots to which free units were added: fails the transaction with a conflict if a lot with the formula and batch
 * number of one of them was recalled since this transaction read it. A recall that commits later sees these lots
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
