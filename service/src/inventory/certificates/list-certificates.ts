import { adviceOn } from "../../ground/lib/nearest.ts";
import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { CertificateStatus } from "./certificate.ts";
import { type ShownCertificate, selectShown, selectSpelledBatches } from "./change-sql.ts";

/** Certificates, including drafts and retired ones, by product and batch. A filter is null for all. */
export async function listCertificates(
	db: Database,
	filter: {
		readonly status: CertificateStatus | null;
		readonly slug: string | null;
		readonly batchNumber: string | null;
	},
	limit: number,
): Promise<FirstRows<ShownCertificate>> {
	return await firstRows(limit, async (most) => ({ rows: await selectShown(db, filter, most) }));
}

/** Refuses a batch without a certificate, suggesting a batch number that is nearly the same, if any. */
export async function refuseUnknownBatch(db: Database, batchNumber: string): Promise<Refusal<"not_found">> {
	const others = await selectSpelledBatches(db, batchNumber);
	const advice = others.length === 0 ? "." : `: ${adviceOn(batchNumber, others, "")}`;
	return refuse("not_found", `There is no certificate of batch ${JSON.stringify(batchNumber)}${advice}`);
}
