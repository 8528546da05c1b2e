import type { Static } from "typebox";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { CertificateFacts, ListedStatus } from "./certificate.ts";
import type { Coa } from "./contract.ts";
import type { Digest } from "./digest.ts";
import { spreadsheetCsv } from "./spreadsheet-csv.ts";

/** A published certificate. */
export interface Certificate extends CertificateFacts {
	readonly certificateId: string;
	readonly status: ListedStatus;
	readonly digest: Digest;
	/** Epoch milliseconds. */
	readonly updatedAt: number;
	readonly version: number;
}

export interface CoaLinks {
	/** The page on which to look up a batch. */
	verifyUrl(batchNumber: string): string;
	fileUrl(certificateId: string, digest: Digest): string;
}

/** A record of the feed (settlements, section 8). */
export type CoaRecord = Static<typeof Coa>;

/** A retired certificate becomes a tombstone without a PDF. */
export const recordOf = (certificate: Certificate, links: CoaLinks): CoaRecord => ({
	product: { slug: certificate.slug, name: certificate.productName },
	batch_number: certificate.batchNumber,
	vial_size: certificate.vialSize,
	tested_on: certificate.testedOn,
	lab_name: certificate.labName,
	purity_pct: certificate.purityPct,
	status: certificate.status,
	certificate_url: certificate.status === "retired" ? "" : links.fileUrl(certificate.certificateId, certificate.digest),
	verify_url: links.verifyUrl(certificate.batchNumber),
	updated_at: toRfc3339(certificate.updatedAt),
});

const COLUMNS = [
	"product_slug",
	"product_name",
	"batch_number",
	"vial_size",
	"tested_on",
	"lab_name",
	"purity_pct",
	"status",
	"certificate_url",
	"verify_url",
	"updated_at",
] as const;

/** The same records as CSV. */
export const csvOf = (records: readonly CoaRecord[]): string =>
	spreadsheetCsv(
		COLUMNS,
		records.map(({ product, ...record }) => ({ product_slug: product.slug, product_name: product.name, ...record })),
	);
