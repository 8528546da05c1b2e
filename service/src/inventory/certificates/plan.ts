import { type CertificateFacts, type CertificateStatus, wrongMove } from "./certificate.ts";
import type { StoredCertificate } from "./change-sql.ts";
import type { Digest } from "./digest.ts";

/** A certificate as an import file describes it. */
export interface CertificateEntry extends Omit<CertificateFacts, "productName"> {
	readonly status: Exclude<CertificateStatus, "retired">;
	readonly digest: Digest;
	/** Bytes of its PDF. */
	readonly size: number;
}

export interface FieldChange {
	readonly field: string;
	readonly from: string | number | null;
	readonly to: string | number | null;
}

/** The action of an import for one entry. */
export type EntryPlan =
	| { readonly what: "unchanged" }
	| {
			readonly what: "created" | "changed";
			readonly fields: readonly FieldChange[];
			/** The certificate to change; null: create one. */
			readonly certificateId: string | null;
	  };

interface Circumstances {
	/** Null: the product does not exist. */
	readonly productName: string | null;
	readonly advice: string;
	/** Null: the certificate does not exist. */
	readonly known: StoredCertificate | null;
	/** A lot that it covers is recalled. */
	readonly recalled: boolean;
	/** Whether a retired certificate may be replaced by a new one. */
	readonly reissue: boolean;
}

/** The problem of an entry whose product does not exist, as the end of a sentence. */
export const noSuchProduct = (slug: string, advice: string): string =>
	`names product ${JSON.stringify(slug)}, which does not exist: ${advice}`;

/** The plan for an entry, or why it cannot be imported, as the end of a sentence. Pure. */
export function planEntry(
	entry: CertificateEntry,
	{ productName, advice, known, recalled, reissue }: Circumstances,
): EntryPlan | string {
	if (productName === null) return noSuchProduct(entry.slug, advice);
	if (known === null || known.status === "retired") {
		if (known !== null && !reissue) return "was retired for good: with reissue, a new certificate takes its place";
		const problem = entry.status === "draft" ? null : wrongMove("draft", entry.status, recalled);
		if (problem !== null) return `cannot be ${entry.status}: a lot of this batch is recalled`;
		return { what: "created", fields: [], certificateId: null };
	}
	if (entry.status !== known.status) {
		if (entry.status === "draft") return `is ${known.status} already, and cannot be a draft again`;
		const problem = wrongMove(known.status, entry.status, recalled);
		if (problem !== null) return `cannot become ${entry.status}: a lot of this batch is recalled`;
	}
	const fields = changesOf({ ...entry, productName }, known);
	if (fields.length === 0) return { what: "unchanged" };
	return { what: "changed", fields, certificateId: known.certificateId };
}

const FIELDS = {
	productName: "product_name",
	vialSize: "vial_size",
	testedOn: "tested_on",
	labName: "lab_name",
	purityPct: "purity_pct",
	status: "status",
	digest: "file",
} as const;

type Compared = Pick<StoredCertificate, keyof typeof FIELDS>;

function changesOf(entry: Compared, known: Compared): FieldChange[] {
	return (Object.entries(FIELDS) as [keyof typeof FIELDS, string][]).flatMap(([name, field]) =>
		entry[name] === known[name] ? [] : [{ field, from: known[name], to: entry[name] }],
	);
}
