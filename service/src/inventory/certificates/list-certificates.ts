import { adviceOn } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { CertificateStatus } from "./certificate.ts";
import { type ShownCertificate, selectShown, selectSpelledBatches } from "./change-sql.ts";

export interface CertificateList {
	readonly items: readonly ShownCertificate[];
	readonly hasMore: boolean;
}

/** Certificates, including drafts and retired ones, by product and batch. A filter is null for all. */
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

/** Refuses a batch without a certificate, suggesting a batch number that is nearly the same, if any. */
export async function refuseUnknownBatch(db: Database, batchNumber: string): Promise<Refusal<"not_found">> {
	const others = await selectSpelledBatches(db, batchNumber);
	const advice = others.length === 0 ? "." : `: ${adviceOn(batchNumber, others, "")}`;
	return refuse("not_found", `There is no certificate of batch ${JSON.stringify(batchNumber)}${advice}`);
}
