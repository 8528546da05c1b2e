import { isDay } from "../../ground/lib/instant.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import type { CertificateName } from "./change-sql.ts";
import { type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";
import { findCertificate, refuseUnknownProduct } from "./find-certificate.ts";
import { wrongInPdf } from "./pdf.ts";
import type { CertificateEntry, EntryPlan } from "./plan.ts";
import { type PutOptions, putCertificates, putCertificatesIn } from "./put-certificates.ts";

export interface EnteredCertificate {
	readonly name: CertificateName;
	readonly facts: Omit<CertificateEntry, "slug" | "batchNumber" | "digest" | "size">;
	/** Null: the certificate keeps the PDF that it has. */
	readonly pdf: { readonly name: string; readonly bytes: Buffer } | null;
}

/** Why the certificate cannot be stored as it was entered, or null. */
export function refuseEntered({ facts, pdf }: EnteredCertificate): Refusal<"invalid_input"> | null {
	const { testedOn, purityPct } = facts;
	if (testedOn !== null && !isDay(testedOn)) return refuse("invalid_input", "/tested_on: expected a day, YYYY-MM-DD");
	if (purityPct !== null && Number(purityPct.toFixed(2)) !== purityPct)
		return refuse("invalid_input", "/purity_pct: expected at most two decimals");
	const wrong = pdf === null ? null : wrongInPdf(pdf.bytes);
	return wrong === null ? null : refuse("invalid_input", `/file: ${JSON.stringify(pdf?.name)} ${wrong}`);
}

/**
 * Stores the PDF of an entered certificate, if the certificate can be created or changed as entered, and returns the
 * digest of the stored file. Otherwise returns null, and `putCertificate` reports the problem.
 */
export async function storePdf(
	{ db, files }: { readonly db: Database; readonly files: FileStore },
	entered: EnteredCertificate,
	options: PutOptions,
): Promise<Digest | null> {
	const entry = entered.pdf === null ? null : await findEntry(db, entered);
	if (entered.pdf === null || entry === null || isRefusal(entry)) return null;
	const judged = await putCertificates(db, [entry], { ...options, dryRun: true });
	if ("problems" in judged || judged.plans[0]?.what === "unchanged") return null;
	return await files.put(entered.pdf.bytes);
}

/** Creates or changes a certificate in the caller's transaction. A PDF that comes with it must be in the store. */
export async function putCertificate(
	tx: Query,
	entered: EnteredCertificate,
	options: PutOptions,
): Promise<
	{ readonly plan: EntryPlan; readonly digest: Digest } | Refusal<"not_found" | "invalid_input" | "wrong_state">
> {
	await lockEpoch(tx, "certificate_epoch"); // until the transaction ends, the certificate keeps its present PDF
	const { slug, batchNumber } = entered.name;
	const unknown = await refuseUnknownProduct(tx, slug);
	if (unknown !== null) return unknown;
	const entry = await findEntry(tx, entered);
	if (isRefusal(entry)) return entry;
	const answer = await putCertificatesIn(tx, [entry], options);
	if ("plans" in answer) return { plan: answer.plans[0] ?? { what: "unchanged" }, digest: entry.digest };
	return refuse("wrong_state", `The certificate of ${slug} ${batchNumber} ${answer.problems[0]?.message}.`);
}

/** The whole entry, with the PDF that was entered or, if none was, the one that the certificate has. */
async function findEntry(
	db: Query,
	{ name, facts, pdf }: EnteredCertificate,
): Promise<CertificateEntry | Refusal<"invalid_input">> {
	if (pdf !== null) return { ...name, ...facts, digest: digestOf(pdf.bytes), size: pdf.bytes.length };
	const known = await findCertificate(db, name);
	if (isRefusal(known) || known.status === "retired")
		return refuse("invalid_input", "/file: a new certificate needs its PDF");
	return { ...name, ...facts, digest: known.digest as Digest, size: known.size };
}
