import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Database } from "../pg/connect.ts";
import { lockEpoch } from "../pg/epoch.ts";
import { transaction } from "../pg/transaction.ts";
import { type CertificateStatus, wrongMove } from "./certificate.ts";
import { type CertificateName, selectRecalled, selectStanding, updateStatus } from "./change-sql.ts";

export interface StatusSet {
	readonly certificateId: string;
	readonly from: CertificateStatus;
	readonly status: CertificateStatus;
	/** False: it was so already, and nothing was done. */
	readonly changed: boolean;
}

/** Publishes, archives or retires a certificate. The same again changes nothing. A retired one is withdrawn at once, and for good. */
export const setStatus = (
	db: Database,
	name: CertificateName,
	status: Exclude<CertificateStatus, "draft">,
	{ actor, reason }: { readonly actor: string; readonly reason: string | null },
): Promise<StatusSet | Refusal<"not_found" | "wrong_state">> =>
	transaction(db, async (tx) => {
		await lockEpoch(tx, "certificate_epoch");
		const [[found], recalled] = await Promise.all([selectStanding(tx, [name]), selectRecalled(tx, [name])]);
		if (found === undefined) {
			const what = `product ${JSON.stringify(name.slug)} and batch ${JSON.stringify(name.batchNumber)}`;
			return refuse("not_found", `There is no certificate of ${what}.`);
		}
		const { certificateId, status: from } = found;
		if (from === status) return { certificateId, from, status, changed: false };
		const problem = wrongMove(from, status, recalled.length > 0);
		if (problem !== null) return problem;
		await updateStatus(tx, { ...name, certificateId, status, reason, actor });
		return { certificateId, from, status, changed: true };
	});
