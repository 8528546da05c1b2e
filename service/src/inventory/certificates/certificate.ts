import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

/** A `draft` is internal: partners and buyers never see one. */
export const CERTIFICATE_STATUSES = ["draft", "current", "archived", "retired"] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];
/** The statuses that an import or a person enters; the others are reached by changes of status. */
export const ENTERED_STATUSES = ["draft", "current", "archived"] as const;
export type ListedStatus = Exclude<CertificateStatus, "draft">;

export interface CertificateFacts {
	readonly slug: string;
	readonly batchNumber: string;
	readonly productName: string;
	readonly vialSize: string | null;
	/** YYYY-MM-DD. */
	readonly testedOn: string | null;
	readonly labName: string | null;
	/** Per cent, 0 to 100, at most two decimals. */
	readonly purityPct: number | null;
}

/**
 * Allowed status changes (settlements, section 8). Retiring is final; a mistake is corrected by a new certificate. A
 * draft cannot be retired because it was never published.
 */
const NEXT: { readonly [status in CertificateStatus]: readonly CertificateStatus[] } = {
	draft: ["current", "archived"],
	current: ["archived", "retired"],
	archived: ["current", "retired"],
	retired: [],
};

export const canBecome = (from: CertificateStatus, to: CertificateStatus): boolean => NEXT[from].includes(to);

/** Why a certificate cannot change to this status, or null. `recalled`: one of its lots is recalled. */
export function wrongMove(
	from: CertificateStatus,
	to: CertificateStatus,
	recalled: boolean,
): Refusal<"wrong_state"> | null {
	if (!canBecome(from, to)) {
		const why = from === "retired" ? "it was retired for good. Import a new one" : `it is ${from}`;
		return refuse("wrong_state", `This certificate cannot become ${to}: ${why}.`);
	}
	if (recalled && to !== "retired") {
		return refuse(
			"wrong_state",
			`This certificate cannot become ${to}: a lot of this batch is recalled. Restore the lot first, if the recall was a false alarm.`,
		);
	}
	return null;
}

export const noCertificateOf = ({
	slug,
	batchNumber,
}: Pick<CertificateFacts, "slug" | "batchNumber">): Refusal<"not_found"> =>
	refuse(
		"not_found",
		`There is no certificate of product ${JSON.stringify(slug)} and batch ${JSON.stringify(batchNumber)}.`,
	);

/** What a buyer sees for a known lot (settlements, section 8). */
type LotState = "current" | "archived" | "withdrawn" | "pending" | "sample";

export interface BatchFacts {
	/** Every lot and certificate with this number belongs to the sandbox. */
	readonly sandbox: boolean;
	readonly recalled: boolean;
	/** Statuses of its listed certificates. */
	readonly statuses: readonly ListedStatus[];
}

/**
 * The state shown to a buyer: a recall overrides everything; otherwise the best status of any certificate. A lot with
 * no listed certificate is `pending`.
 */
export function stateOf({ sandbox, recalled, statuses }: BatchFacts): LotState {
	if (sandbox) return "sample";
	if (recalled) return "withdrawn";
	if (statuses.includes("current")) return "current";
	if (statuses.includes("archived")) return "archived";
	return statuses.length > 0 ? "withdrawn" : "pending";
}
