import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import { type CertificateStatus, noCertificateOf, wrongMove } from "./certificate.ts";
import {
	type CertificateName,
	type StoredCertificate,
	selectRecalled,
	selectStanding,
	selectStillForSale,
	updateStatus,
} from "./change-sql.ts";
import type { CoaLinks } from "./record.ts";

export interface StatusSet {
	readonly certificateId: string;
	readonly from: CertificateStatus;
	readonly status: CertificateStatus;
	/** False: it already had this status and nothing was done. */
	readonly changed: boolean;
}

/** Units in the lots of a certificate that are not recalled; retiring the certificate does not stop their sale. */
interface StillForSale {
	readonly lots: number;
	readonly available: number;
	/** Units bound to holds and orders. */
	readonly bound: number;
	/** What to recall in order to stop the sale. `formula` is null if no other formula has lots of the batch number. */
	readonly recall: readonly { readonly batchNumber: string; readonly formula: string | null }[];
}

/** Units of the certificate's batch that are still for sale, or bound to holds and orders; null: none. */
export async function findStillForSale(
	db: Query,
	{ slug, batchNumber }: CertificateName,
): Promise<StillForSale | null> {
	const [row] = await selectStillForSale(db, [slug, batchNumber]);
	if (row === undefined) return null;
	const [lots, available, bound, formulas, others] = row;
	if (lots === 0) return null;
	const codes = (others ? formulas : null) ?? [null];
	return { lots, available, bound, recall: codes.map((formula) => ({ batchNumber, formula })) };
}

/** The certificate as it is now, if it has this status or may change to it. */
export async function judgeStatus(
	tx: Query,
	name: CertificateName,
	status: Exclude<CertificateStatus, "draft">,
): Promise<StoredCertificate | Refusal<"not_found" | "wrong_state">> {
	const [[found], recalled] = await Promise.all([selectStanding(tx, [name]), selectRecalled(tx, [name])]);
	if (found === undefined) return noCertificateOf(name);
	const problem = found.status === status ? null : wrongMove(found.status, status, recalled.length > 0);
	return problem ?? found;
}

interface WhyStatus {
	/** `operator:<name>` or `system:<what>`. */
	readonly actor: string;
	readonly reason: string | null;
}

/** For the event of a retired certificate. */
export type StatusLinks = Pick<CoaLinks, "verifyUrl">;

/**
 * Publishes or archives a certificate, or retires it immediately and for good, in the caller's transaction, which must
 * end right afterwards. A repeat changes nothing.
 */
export async function setStatusIn(
	tx: Query,
	links: StatusLinks,
	name: CertificateName,
	status: Exclude<CertificateStatus, "draft">,
	{ actor, reason }: WhyStatus,
): Promise<StatusSet | Refusal<"not_found" | "wrong_state">> {
	await lockEpoch(tx, "certificate_epoch");
	const judged = await judgeStatus(tx, name, status);
	if (isRefusal(judged)) return judged;
	const { certificateId, status: from } = judged;
	if (from === status) return { certificateId, from, status, changed: false };
	const verifyUrl = links.verifyUrl(name.batchNumber);
	await updateStatus(tx, { ...name, certificateId, status, reason, actor, verifyUrl });
	return { certificateId, from, status, changed: true };
}
