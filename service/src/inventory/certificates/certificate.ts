import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

/** `draft` is internal: no partner and no buyer ever sees one. */
export const CERTIFICATE_STATUSES = ["draft", "current", "archived", "retired"] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];
export type ListedStatus = Exclude<CertificateStatus, "draft">;

/** What a certificate says, and of what. */
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
 * The moves there are (settlements, section 8). Retired is for good: what was wrong is made anew. A draft was never
 * told of, so there is nothing to withdraw.
 */
const NEXT: { readonly [status in CertificateStatus]: readonly CertificateStatus[] } = {
	draft: ["current", "archived"],
	current: ["archived", "retired"],
	archived: ["current", "retired"],
	retired: [],
};

export const canBecome = (from: CertificateStatus, to: CertificateStatus): boolean => NEXT[from].includes(to);

/** Why a certificate cannot become this; null: it can. `recalled`: a lot that it speaks of is recalled. */
export function wrongMove(
	from: CertificateStatus,
	to: CertificateStatus,
	recalled: boolean,
): Refusal<"wrong_state"> | null {
	if (!canBecome(from, to)) {
		const why = from === "retired" ? "it was retired, which is for good: import a new one" : `it is ${from}`;
		return refuse("wrong_state", `This certificate cannot become ${to}: ${why}.`);
	}
	if (recalled && to !== "retired") {
		return refuse(
			"wrong_state",
			`This certificate cannot become ${to}: a lot of this batch is recalled. Restore the lot first, if it was a false alarm.`,
		);
	}
	return null;
}

/** What a buyer is told of a lot (settlements, section 8). One that is unknown is not among them. */
export type LotState = "current" | "archived" | "withdrawn" | "pending" | "sample";

/** What is known of a batch number. */
export interface BatchFacts {
	/** Everything with this number is of the sandbox. */
	readonly sandbox: boolean;
	/** A lot of this number is recalled. */
	readonly recalled: boolean;
	/** Of its certificates that are listed. */
	readonly statuses: readonly ListedStatus[];
}

/**
 * What a buyer is told: a recall before everything else, then the best that holds of any certificate. Without one it is
 * not published yet.
 */
export function stateOf({ sandbox, recalled, statuses }: BatchFacts): LotState {
	if (sandbox) return "sample";
	if (recalled) return "withdrawn";
	if (statuses.includes("current")) return "current";
	if (statuses.includes("archived")) return "archived";
	return statuses.length > 0 ? "withdrawn" : "pending";
}
