import type { Database } from "../../ground/pg/connect.ts";
import type { CertificateStatus } from "./certificate.ts";
import { type ShownCertificate, selectShown } from "./change-sql.ts";

export interface CertificateList {
	readonly items: readonly ShownCertificate[];
	/** Are there more than the limit? */
	readonly hasMore: boolean;
}

/** Certificates with drafts and retired ones, by product and batch. Each filter is null for all. */
export async function listCertificates(
	db: Database,
	filter: {
		readonly status: CertificateStatus | null;
		readonly slug: string | null;
		readonly batchNumber: string | null;
	},
	limit: number,
): Promise<CertificateList> {
	const rows = await selectShown(db, filter, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
